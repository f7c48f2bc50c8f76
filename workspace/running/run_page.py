from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts.models import logged_in
from evaluation import planned_end
from judging import monitoring
from judging.acts.studies import RUNNING
from judging.models import Batch, Role, Study, TrailEntry, Worker
from judging.monitoring.live import live
from judging.states import State
from judging.studies.access import has_role, study_for
from judging.studies.conduct import batches
from judging.studies.faults import BadStudy
from trec.words import count
from web import back, clock
from web.whole_numbers import whole_number
from workspace.confirm import ask_to_confirm
from workspace.running import forms as typed
from workspace.running.trail_sentences import in_words

REFUSED = 422
NEWEST = 100  # entries of the trail on a page


# What the buttons do, and their forms where they are more than a button.
BUTTONS: dict[str, tuple[str, type[forms.Form]]] = {
    **{name: (name, typed.Empty) for name in ("pause", "resume", "close", "archive", "unarchive")},
    "payment": ("raise-payment", typed.Payment),
    "release": ("release-unit", typed.ReleasedUnit),
    "withdraw": ("withdraw", typed.Code),
    "exclude": ("exclude", typed.Excluded),
    "take back": ("take-back-exclusion", typed.Readmitted),
    "batch": ("add-batch", typed.NewBatch),
    "count": ("count-judgments", typed.Counting),
}


@never_cache
@login_required
def run(request: HttpRequest, slug: str) -> HttpResponse:
    role = Role.EDITOR if request.method == "POST" else Role.VIEWER
    study = study_for(request.user, slug, role)
    if request.method != "POST":
        return _page(request, study)
    name = request.POST.get("action", "")
    if name not in BUTTONS:
        return redirect("running", slug)
    return _press(request, study, name)


def _press(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    act, form = RUNNING[BUTTONS[name][0]], _form(name, request.POST)
    if form.is_valid():
        try:
            if act.ask and "sure" not in request.POST:
                question = act.ask(study, **form.cleaned_data)
                return ask_to_confirm(request, study, "running", question, form)
            done = act.do(study, logged_in(request), **form.cleaned_data)
        except BadStudy as refusal:
            typed.add_faults(form, refusal.faults)
        else:
            messages.success(request, act.message(done, form.cleaned_data))
            return redirect(back.page_of(request) or reverse("running", args=[study.slug]))
    return _page(request, study, name, form)


def _form(name: str, data: Any = None, **initial: Any) -> forms.Form:
    return BUTTONS[name][1](data, auto_id=f"{name}_%s", initial=initial)


def _page(
    request: HttpRequest, study: Study, name: str = "", invalid_form: forms.Form | None = None
) -> HttpResponse:
    study.refresh_from_db()
    missing = batches.short_of_judgments(study)
    shown_forms = {
        "payment": _form("payment", payment=study.payment),
        "withdraw": _form("withdraw"),
        "exclude": _form("exclude"),
        "batch": _form(
            "batch", documents=typed.lines_of(missing), number=batches.next_number(study)
        ),
    }
    if study.all_judgments:
        del shown_forms["batch"].fields["all_judgments"]
    context = {
        "study": study,
        "here": "running",
        "progress": monitoring.progress(study),
        "live": live(study, clock.now()),
        "batches": [(batch, _topics_of(batch)) for batch in _batches(study)],
        "missing": sum(map(len, missing.values())),
        "topics_missing": len(missing),
        "excluded": _excluded(study),
        "forms": shown_forms | ({name: invalid_form} if invalid_form else {}),
        "form": invalid_form,
        "may_change": has_role(logged_in(request), study, Role.EDITOR),
        "is_owner": has_role(logged_in(request), study, Role.OWNER),
    }
    status = REFUSED if invalid_form else 200
    return render(request, "workspace/running.html", context, status=status)


def _batches(study: Study) -> QuerySet[Batch, Any]:
    completed = Q(units__assignments__state=State.COMPLETED)
    return study.batches.annotate(
        all_units=Count("units", distinct=True),
        completed=Count("units", filter=completed, distinct=True),
    ).order_by("number")


def _topics_of(batch: Batch) -> str:
    return ", ".join(
        f"{topic} ({count(len(ids), 'document')})" if ids else topic
        for topic, ids in batch.chosen.items()
    )


def _excluded(study: Study) -> QuerySet[Worker, Any]:
    done = Count("assignments", filter=Q(assignments__state=State.COMPLETED))
    workers = study.workers.filter(excluded_at__isnull=False)
    return workers.annotate(completed=done).order_by("-excluded_at")


# --- the trail ----------------------------------------------------------------------------------
@never_cache
@login_required
def trail(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.OWNER)
    entries = TrailEntry.objects.filter(study=study).select_related("by").order_by("-at", "-pk")
    before = whole_number(request.GET.get("before", ""))
    if before is not None:
        entries = entries.filter(pk__lt=before)
    rows = list(entries[: NEWEST + 1])
    context = {
        "study": study,
        "here": "trail",
        "rows": [(entry, in_words(entry)) for entry in rows[:NEWEST]],
        "older": rows[NEWEST - 1].pk if len(rows) > NEWEST else None,
        "first": not before,
        "at_planned_end": planned_end.cached_sentence(study),
    }
    return render(request, "workspace/trail.html", context)
