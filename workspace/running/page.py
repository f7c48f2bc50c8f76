"""The page on which a study is run, and that of its trail."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts.models import User, logged_in
from evaluation import planned_end
from judging import flow, monitoring
from judging.models import Batch, Role, Study, TrailEntry, Worker
from judging.monitoring.live import live
from judging.states import State
from judging.studies.access import has_role, study_for
from judging.studies.analysis_plan import ranking_is_visible
from judging.studies.faults import BadStudy
from judging.studies.underway import batches, exclusion, opening, running
from judging.studies.underway.running import CannotRun
from trec.words import count
from web import back, clock
from web.whole_numbers import whole_number
from workspace.confirm import Question, ask_to_confirm
from workspace.running import forms as typed
from workspace.running.trail_sentences import in_words

REFUSED = 422
NEWEST = 100  # entries of the trail on a page
Values = dict[str, Any]


@dataclass(frozen=True)
class Action:
    """What a button of the page does with its form; `do` returns the message to show."""

    do: Callable[[Study, Values, User], str]
    form: type[forms.Form] = typed.Empty
    confirmation: Callable[[Study, Values], Question] | None = None


@never_cache
@login_required
def run(request: HttpRequest, slug: str) -> HttpResponse:
    """The state of a study, and what its editors can do about it."""
    role = Role.EDITOR if request.method == "POST" else Role.VIEWER
    study = study_for(request.user, slug, role)
    if request.method != "POST":
        return _page(request, study)
    name = request.POST.get("action", "")
    if name not in ACTIONS:
        return redirect("running", slug)
    return _press(request, study, name)


def _press(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Do what a button says, or ask to confirm it, or show what is wrong."""
    action, form = ACTIONS[name], _form(name, request.POST)
    if form.is_valid():
        try:
            if action.confirmation and "sure" not in request.POST:
                question = action.confirmation(study, form.cleaned_data)
                return ask_to_confirm(request, study, "running", question, form)
            message = action.do(study, form.cleaned_data, logged_in(request))
        except BadStudy as refusal:
            typed.add_faults(form, refusal.faults)
        else:
            messages.success(request, message)
            return redirect(back.page_of(request) or reverse("running", args=[study.slug]))
    return _page(request, study, name, form)


def _form(name: str, data: Any = None, **initial: Any) -> forms.Form:
    return ACTIONS[name].form(data, auto_id=f"{name}_%s", initial=initial)


def _page(
    request: HttpRequest, study: Study, name: str = "", invalid_form: forms.Form | None = None
) -> HttpResponse:
    """The page; with what was typed into one of its forms, and what is wrong with it."""
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
    """The topics that a batch is of, with the number of documents where it is not of all."""
    return ", ".join(
        f"{topic} ({count(len(ids), 'document')})" if ids else topic
        for topic, ids in batch.chosen.items()
    )


def _excluded(study: Study) -> QuerySet[Worker, Any]:
    done = Count("assignments", filter=Q(assignments__state=State.COMPLETED))
    workers = study.workers.filter(excluded_at__isnull=False)
    return workers.annotate(completed=done).order_by("-excluded_at")


# --- what the buttons do ------------------------------------------------------------------------
def _close(study: Study, values: Values, by: User) -> str:
    opening.close_study(study.slug, by)
    return "The study is closed."


def _confirm_close(study: Study, values: Values) -> Question:
    progress = monitoring.progress(study)
    left = progress.units - progress.completed
    rest = f"{count(left, 'unit is', 'units are')} not completed." if left else "All is completed."
    final = "This is final: a closed study does not open again, and takes no batch."
    in_hand = "Nobody new comes in; whoever has a unit in hand may finish it."
    return Question("Close the study for good?", (final, in_hand, rest), "Close it for good")


def _pay(study: Study, values: Values, by: User) -> str:
    payment = running.raise_payment(study, values["payment"], by).payment
    return f"Units that are begun from now on are paid {payment} {study.currency}."


def _release(study: Study, values: Values, by: User) -> str:
    flow.release_unit(study, values["unit"], by, clock.now())
    return f"Unit {values['unit']} is free."


def _confirm_release(study: Study, values: Values) -> Question:
    worker = flow.unit_in_progress(study, values["unit"]).worker
    lines = (
        f"Worker {worker} has it in hand. What they have entered is deleted, and not paid.",
        "The unit is then free for somebody else.",
    )
    return Question(f"Take unit {values['unit']} back?", lines, "Take it back")


def _withdraw(study: Study, values: Values, by: User) -> str:
    withdrawn = flow.withdraw_unit(study, values["code"], by, clock.now())
    return f"The judgments of unit {withdrawn.unit} are deleted."


def _confirm_withdraw(study: Study, values: Values) -> Question:
    assignment = flow.unit_of_code(study, values["code"])
    lines = (
        f"It is unit {assignment.unit} of worker {assignment.worker}. Its judgments are deleted "
        "for good, and the unit is free for somebody else.",
        "The pay stays, and the code stays valid.",
    )
    return Question("Delete the judgments of this unit?", lines, "Delete them")


def _worker(study: Study, values: Values) -> Worker:
    worker = study.workers.filter(pseudonym=values["worker"].strip()).first()
    if worker is None:
        raise CannotRun("This study has no such worker.", field="worker")
    return worker


def _exclude(study: Study, values: Values, by: User) -> str:
    worker = exclusion.exclude(_worker(study, values), values["reason"], by)
    return f"Worker {worker} is excluded: rankings follow within seconds."


def _take_back(study: Study, values: Values, by: User) -> str:
    worker = exclusion.take_back_exclusion(_worker(study, values), by)
    return f"The scores of worker {worker} count again."


def _add_batch(study: Study, values: Values, by: User) -> str:
    batch = batches.add_batch(
        study,
        values["documents"],
        values["redundancy"],
        by,
        number=values["number"],
        all_judgments=values["all_judgments"],
    )
    return f"Batch {batch.number} is added: {count(batch.units.count(), 'unit')}."


def _confirm_add(study: Study, values: Values) -> Question:
    size = batches.size_of(study, values["documents"], values["redundancy"])
    cost = size.units * study.payment * (1 + study.platform_fee)
    lines = [f"Each holds both anchors and {study.unit_size - 2} other documents."]
    if cost:
        lines.append(f"They cost {cost:,.2f} {study.currency}, the platform’s fee included.")
    lines.append(
        "A worker judges a topic once, so this takes at least "
        f"{count(size.workers, 'worker who has', 'workers who have')} not judged it."
    )
    lines.append(
        "All judgments count, as soon as they are there."
        if values["all_judgments"] or study.all_judgments
        else f"Judgments count up to the redundancy of {study.redundancy}: what goes beyond it is "
        "paid, and not counted."
    )
    if ranking_is_visible(study):
        lines.append(
            "A ranking of the systems is visible: trail, report and release will say that this "
            "batch was ordered after it, with the result at the planned end beside."
        )
    return Question(
        f"Add {count(size.units, 'unit')}?",
        tuple(lines),
        "Add it" if size.units == 1 else "Add them",
    )


def _count(study: Study, values: Values, by: User) -> str:
    running.count_all_judgments(study, values["all_judgments"], by)
    return "Rankings and analyses follow within seconds."


def _act(change: Callable[[Study, User | None], Study], message: str) -> Action:

    def do(study: Study, values: Values, by: User) -> str:
        change(study, by)
        return message

    return Action(do)


ACTIONS = {
    "pause": _act(running.pause, "The study is paused."),
    "resume": _act(running.resume, "The study goes on."),
    "close": Action(_close, confirmation=_confirm_close),
    "archive": _act(running.archive, "The study is put away: the list of studies leaves it out."),
    "unarchive": _act(running.unarchive, "The study is in the list of studies again."),
    "payment": Action(_pay, typed.Payment),
    "release": Action(_release, typed.ReleasedUnit, _confirm_release),
    "withdraw": Action(_withdraw, typed.Code, _confirm_withdraw),
    "exclude": Action(_exclude, typed.Excluded),
    "take back": Action(_take_back, typed.Readmitted),
    "batch": Action(_add_batch, typed.NewBatch, _confirm_add),
    "count": Action(_count, typed.Counting),
}


# --- the trail ----------------------------------------------------------------------------------
@never_cache
@login_required
def trail(request: HttpRequest, slug: str) -> HttpResponse:
    """Who changed what and when, newest first, for the study's owners."""
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
