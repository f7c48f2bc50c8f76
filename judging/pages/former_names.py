from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse

from judging.models import FormerSlug, Study

View = Callable[..., HttpResponseBase]
SAME_METHOD = 307


def follow_renaming(view: View) -> View:
    """A form sent to a former address is sent again to the present one, by the browser."""

    @wraps(view)
    def answer(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, slug, **kwargs)
        except Http404:
            now = _present_name(slug)
            if now is None or request.resolver_match is None:
                raise
            names = {**request.resolver_match.kwargs, "slug": now}
            address = reverse(request.resolver_match.view_name, kwargs=names)
            query = request.META.get("QUERY_STRING", "")
            redirect = HttpResponseRedirect(f"{address}?{query}" if query else address)
            redirect.status_code = SAME_METHOD
            return redirect

    return answer


def _present_name(slug: str) -> str | None:
    former = FormerSlug.objects.select_related("study").filter(slug=slug).first()
    if former is None or Study.objects.filter(slug=slug).exists():
        return None
    return former.study.slug
