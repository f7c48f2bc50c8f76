from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from judging.models import Study, StudyTopic
from judging.pages.links import Links
from judging.pages.preview.pages import PreviewPage, groups_of, pages_of
from judging.pages.preview.rendering import show_preview
from judging.pages.preview.sample import Sample, sample_of, topics_of
from judging.pages.showing import LISTS
from judging.studies.access import study_for
from web.display import accepts_display_choice
from web.text import natural


@dataclass(frozen=True)
class Preview:
    """A study that is previewed, with one of its topics (empty: the first)."""

    study: Study
    topic: str

    def address(self, name: str) -> str:
        slug = self.study.slug
        path = (
            reverse("preview-page", args=[slug, name]) if name else reverse("preview", args=[slug])
        )
        return f"{path}?{urlencode({'topic': self.topic})}" if self.topic else path

    @property
    def links(self) -> Links:
        return Links(
            self.address("welcome"),
            self.address("welcome"),
            self.address("resume"),
            self.address("me"),
            self.address("me"),
            lambda position: self.address(f"document-{position}"),
        )


def _preview(request: HttpRequest, slug: str) -> tuple[Preview, Sample]:
    study = study_for(request.user, slug)
    if not study.takes_people:
        raise Http404(f"Study {study} takes no people: it has no pages of workers.")
    query_id = request.GET.get("topic", "")
    try:
        return Preview(study, query_id), sample_of(study, query_id)
    except StudyTopic.DoesNotExist as fault:
        raise Http404(f"Study {study} has no topic {query_id}.") from fault


@require_safe
@never_cache
@login_required
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    shown, sample = _preview(request, slug)
    groups = {
        title: [(page, shown.address(page.name)) for page in pages]
        for title, pages in groups_of(shown.study).items()
    }
    context = {
        "study": shown.study,
        "topics": sorted(topics_of(shown.study), key=lambda each: natural(each.topic.query_id)),
        "chosen": sample.study_topic,
        "missing": [line for lines in sample.missing.values() for line in lines],
        "groups": groups,
        "begin": next(address for pages in groups.values() for _, address in pages),
    }
    return render(request, "judging/preview.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@accepts_display_choice
def preview_page(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    shown, sample = _preview(request, slug)
    pages = pages_of(shown.study)
    number = next((n for n, page in enumerate(pages) if page.name == name), None)
    if number is None:
        raise Http404(f"A preview has no page {name}.")
    page, before, after = pages[number], pages[number - 1 : number], pages[number + 1 : number + 2]
    following = after[0].name if after else ""
    if request.method == "POST":
        action = request.POST.get("action", "")
        return redirect(shown.address(_leads_to(page, action, following)))
    bar = {
        "page": page,
        "number": number + 1,
        "pages": len(pages),
        "list": shown.address(""),
        "previous": shown.address(before[0].name) if before else "",
        "next": shown.address(following) if following else "",
        "missing": sample.missing.get("document" if page.step in LISTS else page.step, []),
    }
    with translation.override(shown.study.language):
        return show_preview(request, sample, page, shown.links, preview=bar)


def _leads_to(page: PreviewPage, action: str, following: str) -> str:
    """The name of the page that follows a button: by default the next one; empty: the list."""
    if action in ("keep", "report"):
        return page.name
    if action == "leave":
        return "not-taking-part" if page.step == "welcome" else "left"
    if action == "again":
        return "practice"
    if action == "back" and page.step == "document":
        return f"document-{page.number - 1}"
    return following
