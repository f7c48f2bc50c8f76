from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import logged_in
from judging.departures import AS_IN_PAPER, departures
from judging.models import Participant, Role, Study, TrailEntry
from judging.pages.default_texts import CONSENT, NAMES, default_text, plain_text
from judging.platforms import LINKS
from judging.settings import Step, name_of
from judging.studies.access import sees_platform_ids, study_for
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.versions import EditConflict
from judging.studies.faults import BadStudy
from judging.studies.personal_links import personal_links
from web.files import attachment
from web.formats import csv_lines
from workspace.setup import forms
from workspace.setup.steps import step_after
from workspace.setup.whole_study import context_of, study_of_step


@never_cache
@login_required
def settings(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    study = study_of_step(request, slug)
    more = {"departures": departures(study)}
    return settings_page(request, study, step, f"workspace/setup/{step}.html", **more)


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


def settings_page(
    request: HttpRequest, study: Study, step: str, template: str, **more: Any
) -> HttpResponse:
    form, changed = forms.FORMS[step](request.POST or None, study), None
    if request.method == "POST" and form.is_valid():
        is_saved, changed = forms.save_form(
            form,
            lambda values, version: change_settings(
                study.slug, values, logged_in(request), version
            ),
        )
        if is_saved:
            messages.success(request, "Saved.")
            return redirect(f"setup-{step_after(step)}", study.slug)
        if changed:
            own_changes, study = form.own_changes(changed, study), Study.objects.get(pk=study.pk)
            form = forms.FORMS[step](None, study, own_changes)
    changes = _changes_of_others(changed) if changed else []
    context = context_of(request, study, step, form=form, changed=changes, **more)
    return render(request, template, context)


def _changes_of_others(changed: EditConflict) -> list[tuple[TrailEntry, list[tuple[Any, ...]]]]:
    return [
        (
            entry,
            [
                (name, name_of(name), *values)
                for name, values in entry.details.get("changes", {}).items()
            ],
        )
        for entry in changed.entries
    ]


@never_cache
@login_required
def wording(request: HttpRequest, slug: str) -> HttpResponse:
    return _texts_page(request, slug, Step.TEXTS, NAMES)


@never_cache
@login_required
def consent(request: HttpRequest, slug: str) -> HttpResponse:
    return _texts_page(request, slug, Step.CONSENT, [CONSENT])


def _texts_page(request: HttpRequest, slug: str, step: Step, names: Sequence[str]) -> HttpResponse:
    """Save a step's texts, or show the form with one of our texts to start from."""
    study, template = study_of_step(request, slug), f"workspace/setup/{step}.html"
    standard_texts = {name: default_text(study, name) for name in names}
    if request.POST.get("start") in standard_texts:
        return _started(request, study, step, standard_texts)
    return settings_page(request, study, step, template, standard_texts=standard_texts)


def _started(
    request: HttpRequest, study: Study, step: Step, texts: Mapping[str, str]
) -> HttpResponse:
    name, typed = request.POST["start"], request.POST.dict()
    text = f"{typed.get(name, '')}\n\n{plain_text(texts[name])}".strip()
    form = forms.FORMS[step](None, study, {**typed, name: text})
    context = context_of(request, study, step, form=form, standard_texts=texts, started=name)
    return render(request, f"workspace/setup/{step}.html", context)


@never_cache
@login_required
def recruiting(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_of_step(request, slug)
    platform = study.from_platform
    is_by_links = platform == LINKS
    return settings_page(
        request,
        study,
        Step.RECRUITING,
        "workspace/setup/recruiting.html",
        link=platform.entry_address(entry_of(request, study)),
        is_by_links=is_by_links,
        listed=Participant.objects.filter(study=study).count() if is_by_links else 0,
        sees_ids=sees_platform_ids(logged_in(request), study),
    )


def entry_of(request: HttpRequest, study: Study) -> str:
    return request.build_absolute_uri(reverse("study", args=[study.slug]))


@never_cache
@login_required
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
