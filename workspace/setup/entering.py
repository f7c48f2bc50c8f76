from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from accounts.models import User, logged_in
from judging.flow.earlier_studies import EarlierStudy, with_id_counts
from judging.flow.places import limit_usage
from judging.models import PlatformAccount, Study
from judging.settings import Step
from judging.studies.access import sees_platform_ids
from judging.studies.configuration import participants as listed
from judging.studies.configuration.earlier import (
    exclude_participants_of,
    excluded_studies,
    seen_excluded_studies,
    selectable_studies,
)
from judging.studies.faults import BadStudy
from trec.words import count
from web import clock
from web.files import accepts_files
from web.whole_numbers import whole_number
from workspace.setup import forms
from workspace.setup.setting_pages import settings_page
from workspace.setup.whole_study import context_of, study_of_step

SHOWN = 200  # ids of a list on its page


@never_cache
@login_required
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
    return settings_page(request, study, Step.ENTRY, "workspace/setup/entry.html", **more)


# --- the list of participants -------------------------------------------------------------------
@never_cache
@login_required
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
    context = context_of(
        request,
        study,
        Step.ENTRY,
        form=form,
        list=listed.counts(study),
        may_see=may_see,
        rows=[(row.external_id, row.pk in came) for row in rows[:SHOWN]],
        more=len(rows) > SHOWN,
    )
    return render(request, "workspace/setup/participants.html", context)


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
@never_cache
@login_required
def earlier(request: HttpRequest, slug: str) -> HttpResponse:
    study, by, refusal = study_of_step(request, slug), logged_in(request), None
    if request.method == "POST" and "version" in request.POST:
        names = request.POST.getlist("study")
        try:
            exclude_participants_of(slug, names, by, _version(request))
        except BadStudy as fault:
            refusal, study = fault, Study.objects.get(pk=study.pk)
        else:
            studies = count(len(names), "study", "studies")
            messages.success(request, f"Participants of {studies} do not come in.")
            return redirect("setup-entry", slug)
    chosen = set(seen_excluded_studies(study, by).values_list("slug", flat=True))
    context = context_of(
        request,
        study,
        Step.ENTRY,
        studies=_worth_choosing(study, by),
        chosen=chosen,
        refusal=refusal,
    )
    return render(request, "workspace/setup/earlier.html", context)


def _version(request: HttpRequest) -> int | None:
    return whole_number(request.POST.get("version", ""))


def _worth_choosing(study: Study, by: User) -> list[EarlierStudy]:
    chosen = excluded_studies(study).values("pk")
    holding = PlatformAccount.objects.values("study")
    worth = Q(pk__in=chosen) | Q(pk__in=holding)
    return with_id_counts(
        Study.objects.filter(worth, pk__in=selectable_studies(study, by).values("pk"))
    )
