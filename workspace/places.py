"""The five places of a study, in the order of the work, and the pages of each.

The navigation, what is current in it, the list of steps, and redirects from former addresses are
made of this table. A page is in one place at a time: the steps on recruiting belong to *Set up*
until the study opens, and to *Recruit and run* from then on.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.models import logged_in
from judging.models import Role, Study
from judging.studies.access import ROLES, role_of, study_for
from workspace.decorators import staff_page

Rule = Callable[[Study], bool]


def _any(_: Study) -> bool:
    return True


def _takes_people(study: Study) -> bool:
    return study.takes_people


def _own(study: Study) -> bool:
    """Of people, and no rehearsal, which has the set-up and the team of its study."""
    return study.takes_people and not study.rehearsal_of_id


def _of_model(study: Study) -> bool:
    """Judged by a model on this site: an archive has no conversations."""
    return study.crowd == Study.Crowd.MODEL and hasattr(study, "model_run")


def _may_have_models(study: Study) -> bool:
    return bool(settings.MODEL_ENDPOINTS) and _own(study)


def _no_rehearsal(study: Study) -> bool:
    return not study.rehearsal_of_id


def _is_draft(study: Study) -> bool:
    return _own(study) and study.stage == Study.Stage.DRAFT


def _is_past_draft(study: Study) -> bool:
    return _own(study) and study.stage != Study.Stage.DRAFT


def usable(_: Study) -> str:
    return ""


def once_open(study: Study) -> str:
    is_draft = study.stage == Study.Stage.DRAFT and not study.is_imported
    return ("once open" if study.takes_people else "once begun") if is_draft else ""


def on_prolific(study: Study) -> str:
    return "" if study.from_platform.has_api else "once it is the study’s platform"


class Page(NamedTuple):
    """A page by the name of its address.

    below: pages that one reaches from it; exists: for which studies; why_not: why it cannot be
    used yet, or nothing; former: its address in the past, below that of the study.
    """

    title: str
    name: str
    below: tuple[str, ...] = ()
    exists: Rule = _any
    why_not: Callable[[Study], str] = usable
    role: Role = Role.VIEWER
    former: str = ""


class Place(NamedTuple):
    name: str
    title: str
    pages: tuple[Page, ...]


RECRUITING = ("setup-recruiting", ("personal-links",))
LIMITS = ("setup-entry", ("participants", "earlier-studies"))
STEPS = (
    Page("Topics", "setup-topics", exists=_own),
    Page("Pool", "setup-pool", ("setup-topic-pool",), _own),
    Page("Anchors", "setup-anchors", ("setup-topic-anchors",), _own),
    Page("Questions", "setup-questions", ("setup-topic-questions",), _own),
    Page("Settings", "setup-settings", exists=_own),
    Page("Texts", "setup-texts", exists=_own),
    Page("Link and platform", *RECRUITING, exists=_is_draft),
    Page("Consent and contact", "setup-consent", exists=_own),
    Page("Who may enter", *LIMITS, exists=_is_draft),
)
CHECKS = (
    Page("Preview", "preview", ("preview-page",), _takes_people, former="preview/"),
    Page("Rehearsal", "rehearsal", (), _takes_people, former="rehearsal/"),
    Page("Cost and forecast", "plan", (), _own, former="plan/"),
)
OPENING = Page("Review and open", "setup-plan", ("open-study", "bring-toml"), _own, former="setup/")
SET_UP = Place("set-up", "Set up", (*STEPS, *CHECKS, OPENING))
RECRUIT = Place(
    "recruit",
    "Recruit and run",
    (
        Page("State", "running", (), _takes_people, once_open, former="running/"),
        Page("Link and platform", *RECRUITING, _is_past_draft),
        Page("Who may enter", *LIMITS, _is_past_draft),
        Page("Prolific", "prolific", (), _own, on_prolific, former="prolific/"),
        Page("Batches", "batches", (), _takes_people, once_open),
        Page("Payments", "pay", ("payment",), _own, once_open, former="pay/"),
        Page("Alerts", "alerts", (), _takes_people, once_open, Role.EDITOR, "alerts/"),
        Page("Language models", "model-runs", exists=_may_have_models),
    ),
)
RUN = Place("run", "Run", (Page("The model", "model-run", ("model-unit",), _of_model),))
MONITOR = Place(
    "monitor",
    "Monitor",
    (
        Page("Lights", "monitor", ("monitor-topic",), _takes_people, once_open),
        Page(
            *("Workers", "monitor-workers", ("monitor-worker",), _takes_people, once_open),
            former="workers/",
        ),
        Page("Exclusions", "exclusions", (), _takes_people, once_open),
    ),
)
RESULTS = Place(
    "results",
    "Results",
    (
        Page("Overview", "results", ("difference",), why_not=once_open),
        Page(
            *("Systems", "systems", ("system", "against", "system-on-topic", "dropped-run")),
            why_not=once_open,
        ),
        Page("Topics", "topics", ("topic", "judged-document"), why_not=once_open),
        Page("Method", "method", ("analysis",), why_not=once_open),
        Page("Replication", "replication", why_not=once_open),
    ),
)
SHARE = Place(
    "share",
    "Share",
    (
        Page("Files", "files", why_not=once_open),
        Page("Report", "report", why_not=once_open, former="report/"),
        Page("Release", "release", ("free-texts",), _no_rehearsal, once_open, former="publish/"),
        Page("Published page", "published", (), _no_rehearsal, once_open),
        Page("Archive file", "archive", (), _no_rehearsal, role=Role.OWNER),
        Page("Team", "team", (), _no_rehearsal, former="team/"),
        Page("Trail", "trail", (), _any, role=Role.OWNER, former="trail/"),
        Page(
            *("Clone, rename, delete", "whole-study"),
            *(("clone-study", "rename-study", "delete-study"), _no_rehearsal),
        ),
    ),
)
PLACES = (SET_UP, RECRUIT, RUN, MONITOR, RESULTS, SHARE)


class ShownPage(NamedTuple):
    """why_not: why it cannot be used yet; current: as the attribute aria-current has it."""

    name: str
    title: str
    url: str
    why_not: str
    current: str


class ShownPlace(NamedTuple):
    """url: of its first page that can be used; without one, why_not says why."""

    name: str
    title: str
    pages: list[ShownPage]

    @property
    def url(self) -> str:
        return next((page.url for page in self.pages if not page.why_not), "")

    @property
    def why_not(self) -> str:
        return "" if self.url else self.pages[0].why_not

    @property
    def current_page(self) -> ShownPage | None:
        return next((page for page in self.pages if page.current), None)


def places_of(study: Study, role: Role, here: str) -> list[ShownPlace]:
    """The places as somebody with a role sees them on the page `here`."""
    shown = []
    for place in PLACES:
        allowed = [page for page in place.pages if ROLES.index(role) >= ROLES.index(page.role)]
        if pages := _shown(allowed, study, here):
            shown.append(ShownPlace(place.name, place.title, pages))
    return shown


def _shown(pages: Iterable[Page], study: Study, here: str) -> list[ShownPage]:
    return [
        ShownPage(
            *(page.name, page.title, reverse(page.name, args=[study.slug]), page.why_not(study)),
            current="page" if here == page.name else "true" if here in page.below else "",
        )
        for page in pages
        if page.exists(study)
    ]


def set_up_of(study: Study, here: str) -> dict[str, list[ShownPage]]:
    """The pages of *Set up* by what they are for; nothing on the pages of another place."""
    groups = {"Steps": STEPS, "Checks": CHECKS, "Opening": (OPENING,)}
    shown = {name: _shown(pages, study, here) for name, pages in groups.items()}
    return shown if any(page.current for pages in shown.values() for page in pages) else {}


def entry_page(study: Study) -> str:
    """The page on which a study opens: what its stage needs."""
    if study.stage != Study.Stage.CLOSED and _of_model(study):
        name = "model-run"
    elif not study.takes_people or study.stage == Study.Stage.CLOSED:
        name = "results"
    elif study.stage == Study.Stage.DRAFT:
        name = "setup-plan"
    else:
        name = "monitor" if study.stage == Study.Stage.OPEN else "running"
    return reverse(name, args=[study.slug])


@staff_page
@require_safe
def first_page(request: HttpRequest, slug: str, name: str) -> HttpResponseRedirect:
    """From the address of a place to its first page that can be used."""
    user = logged_in(request)
    study = study_for(user, slug)
    shown = places_of(study, role_of(user, study) or Role.VIEWER, "")
    place = next(place for place in shown if place.name == name)
    return HttpResponseRedirect(place.url or place.pages[0].url)


FORMER = {
    "setup/clone/": "clone-study",
    "setup/name/": "rename-study",
    "setup/delete/": "delete-study",
} | {page.former: page.name for place in PLACES for page in place.pages if page.former}


@require_safe
def moved(
    request: HttpRequest, slug: str, name: str, former: str, **_: Any
) -> HttpResponseRedirect:
    """To the present address of a page, with what stood behind its former one."""
    rest = request.get_full_path().removeprefix(f"/studies/{slug}/{former}")
    return HttpResponseRedirect(reverse(name, args=[slug]) + rest)
