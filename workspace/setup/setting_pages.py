from collections.abc import Mapping
from decimal import ROUND_UP, Decimal
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.models import logged_in
from judging.currencies import MINIMUM_HOURLY_PAY
from judging.departures import AS_IN_PAPER, departures
from judging.flow.earlier_studies import with_id_counts
from judging.flow.places import limit_usage
from judging.models import Participant, PlatformAccount, Role, Study, TrailEntry
from judging.pages.default_texts import CONSENT, NAMES, default_text, plain_text
from judging.platforms import LINKS, NO_PLATFORM, PLACEHOLDER, PLATFORMS
from judging.settings import Step, name_of
from judging.studies.access import sees_platform_ids, study_for
from judging.studies.configuration import participants as listed
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.earlier import (
    exclude_participants_of,
    excluded_studies,
    seen_excluded_studies,
    selectable_studies,
)
from judging.studies.configuration.versions import EditConflict
from judging.studies.durations import expected_duration
from judging.studies.faults import BadStudy
from judging.studies.personal_links import personal_links
from magnitudes.files.words import count
from web import clock
from web.files import accepts_files, attachment
from web.formats import csv_lines
from web.text import whole_number
from workspace.decorators import staff_page
from workspace.setup import forms
from workspace.setup.steps import page_name, step_after
from workspace.setup.whole_study import step_page, study_of_step


@staff_page
def settings(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    study = study_of_step(request, slug)
    more = {"departures": departures(study), "pay": pay_of_an_hour(study)}
    return settings_page(request, study, step, **more)


def pay_of_an_hour(study: Study) -> dict[str, Any]:
    """What to know where the pay of a unit is chosen."""
    taken = expected_duration(study)
    hours = Decimal(max(taken.median, 1)) / HOUR
    cent = Decimal("0.01")
    return {
        "minutes": taken.minutes,
        "seconds": round(taken.median),
        "units": taken.units,
        "hourly": study.payment / hours if study.pay_is_chosen and study.payment else None,
        "minima": [
            (currency, minimum, (minimum * hours).quantize(cent, ROUND_UP))
            for currency, minimum in MINIMUM_HOURLY_PAY.items()
        ],
    }


@require_POST
@login_required
def as_in_paper(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.EDITOR)
    try:
        study = change_settings(slug, AS_IN_PAPER, logged_in(request))
    except BadStudy as refusal:
        for line in str(refusal).split("\n"):
            messages.error(request, line)
    else:
        left = "; ".join(each.label for each in departures(study))
        but = f", but for what its platform asks for: {left}" if left else ""
        messages.success(request, f"Set as in the paper{but}.")
    return redirect("setup-settings", slug)


def settings_page(request: HttpRequest, study: Study, step: str, **more: Any) -> HttpResponse:
    form, changed = forms.FORMS[step](request.POST or None, study), []
    if request.method == "POST" and form.is_valid():
        version = form.cleaned_data["version"]
        try:
            change_settings(study.slug, form.values(), logged_in(request), version)
        except EditConflict as conflict:
            changed = _changes_of_others(conflict)
            own_changes, study = form.own_changes(conflict, study), Study.objects.get(pk=study.pk)
            form = forms.FORMS[step](None, study, own_changes)
        except BadStudy as refusal:
            form.add_faults(refusal)
        else:
            messages.success(request, "Saved.")
            return redirect(page_name(step_after(study, step)), study.slug)
    return step_page(request, study, step, form=form, changed=changed, **more)


def _changes_of_others(conflict: EditConflict) -> list[tuple[TrailEntry, list[Any]]]:
    return [
        (entry, [(name, name_of(name), *values) for name, values in changes.items()])
        for entry in conflict.entries
        for changes in [entry.details.get("changes", {})]
    ]


@staff_page
def texts(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """Save a step's texts, or show the form with one of our texts to start from."""
    study = study_of_step(request, slug)
    names = [CONSENT] if step == Step.CONSENT else NAMES
    standard_texts = {name: default_text(study, name) for name in names}
    if request.POST.get("start") in standard_texts:
        return _started(request, study, step, standard_texts)
    return settings_page(request, study, step, standard_texts=standard_texts)


def _started(
    request: HttpRequest, study: Study, step: str, ours: Mapping[str, str]
) -> HttpResponse:
    name, typed = request.POST["start"], request.POST.dict()
    text = f"{typed.get(name, '')}\n\n{plain_text(ours[name])}".strip()
    form = forms.FORMS[step](None, study, {**typed, name: text})
    return step_page(request, study, step, form=form, standard_texts=ours, started=name)


@staff_page
def recruiting(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_of_step(request, slug)
    platform = study.from_platform
    is_by_links = platform == LINKS
    return settings_page(
        request,
        study,
        Step.RECRUITING,
        links=_links(entry_of(request, study)),
        is_by_links=is_by_links,
        listed=Participant.objects.filter(study=study).count() if is_by_links else 0,
        sees_ids=sees_platform_ids(logged_in(request), study),
    )


def _links(entry: str) -> list[dict[str, Any]]:
    """The link of each platform, and without one."""
    return [
        {
            "name": platform.name or "none",
            "title": platform.title,
            "id": f"link-{platform.name}" if platform.name else "entry-link",
            "link": (link := platform.entry_address(entry)),
            "can_follow": not PLACEHOLDER.search(link),
        }
        for platform in (NO_PLATFORM, *PLATFORMS.values())
    ]


def entry_of(request: HttpRequest, study: Study) -> str:
    return request.build_absolute_uri(reverse("study", args=[study.slug]))


@staff_page
@require_safe
def personal_links_file(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.EDITOR)
    if not sees_platform_ids(logged_in(request), study):
        raise PermissionDenied("For this you must be allowed to see the ids of participants.")
    links = personal_links(study, entry_of(request, study))
    name = study.file_name("links", "csv")
    lines = csv_lines(("participant", "link"), links, for_spreadsheet=True)
    return HttpResponse(
        "".join(lines), content_type="text/csv; charset=utf-8", headers=attachment(name)
    )


HOUR = 3600  # seconds
SHOWN = 200  # ids of a list on its page


@staff_page
def entry(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_of_step(request, slug)
    by = logged_in(request)
    visible = with_id_counts(seen_excluded_studies(study, by))
    more = {
        "course": limit_usage(study, clock.now()),
        "list": listed.counts(study),
        "earlier": visible,
        "hidden": excluded_studies(study).count() - len(visible),
    }
    return settings_page(request, study, Step.ENTRY, **more)


# --- the list of participants -------------------------------------------------------------------
@staff_page
@accepts_files
def participants(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_of_step(request, slug)
    form = forms.Ids(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        with form.faults_added():
            messages.success(request, _change_list(request, study, form))
            return redirect("participants", slug)
    may_see = sees_platform_ids(logged_in(request), study)
    rows = list(study.participants.order_by("pk")[: SHOWN + 1]) if may_see else []
    came = set(listed.started_participants(study.participants.all()).values_list("pk", flat=True))
    return step_page(
        request,
        study,
        Step.ENTRY,
        form=form,
        list=listed.counts(study),
        may_see=may_see,
        rows=[(row.external_id, row.pk in came) for row in rows[:SHOWN]],
        more=len(rows) > SHOWN,
        template="participants",
    )


def _change_list(request: HttpRequest, study: Study, form: forms.Ids) -> str:
    action, by = request.POST.get("action"), logged_in(request)
    if action == "clear":
        return f"{_people(listed.clear_participants(study, by))} taken off: the list is empty."
    lines = form.cleaned_data["ids"].splitlines() + form.lines_of_file()
    if action == "remove":
        return f"{_people(listed.remove_participants(study, lines, by))} taken off the list."
    return f"{_people(listed.add_participants(study, lines, by))} put on the list."


def _people(number: int) -> str:
    return count(number, "person was", "people were")


# --- earlier studies ----------------------------------------------------------------------------
@staff_page
def earlier(request: HttpRequest, slug: str) -> HttpResponse:
    study, by, refusal = study_of_step(request, slug), logged_in(request), None
    if request.method == "POST" and "version" in request.POST:
        names = request.POST.getlist("study")
        try:
            exclude_participants_of(slug, names, by, whole_number(request.POST["version"]))
        except BadStudy as fault:
            refusal, study = fault, Study.objects.get(pk=study.pk)
        else:
            studies = count(len(names), "study", "studies")
            messages.success(request, f"Participants of {studies} do not come in.")
            return redirect("setup-entry", slug)
    chosen = set(seen_excluded_studies(study, by).values_list("slug", flat=True))
    holding = PlatformAccount.objects.values("study")
    worth = Q(pk__in=excluded_studies(study).values("pk")) | Q(pk__in=holding)
    selectable = selectable_studies(study, by).values("pk")
    worth_choosing = Study.objects.filter(worth, pk__in=selectable)
    return step_page(
        request,
        study,
        Step.ENTRY,
        studies=with_id_counts(worth_choosing),
        chosen=chosen,
        refusal=refusal,
        template="earlier",
    )
