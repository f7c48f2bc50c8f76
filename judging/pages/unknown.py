"""For a browser that sends the form of a set, but has lost its cookie."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.urls import Resolver404, resolve

from judging.models import Study
from judging.pages.links import Links, links_of
from judging.pages.rendering import render_page

FORBIDDEN = 403
ADDRESSES = ("study", "document", "me", "resume")


def names_a_set(request: HttpRequest) -> bool:
    page = request.POST.get("page", "")
    return page == "revise" or ":" in page


def show_unknown(
    request: HttpRequest,
    study: Study,
    links: Links,
    *,
    status: int = FORBIDDEN,
    **context: Any,
) -> HttpResponse:
    return render_page(request, study, "unknown", {"links": links, **context}, status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """To workers, the page that says how to be recognised again."""
    study = _study_of_page(request.path_info)
    if study is not None:
        return show_unknown(request, study, links_of(study))
    context = {"no_cookie": reason == REASON_NO_CSRF_COOKIE}
    return render(request, "403_csrf.html", context, status=FORBIDDEN)


def _study_of_page(path: str) -> Study | None:
    try:
        address = resolve(path)
    except Resolver404:
        return None
    if address.url_name not in ADDRESSES:
        return None
    return Study.objects.filter(slug=address.kwargs.get("slug", "")).first()
