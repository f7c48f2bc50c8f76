import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect

from judging.flow.documents import DocumentPage, finishes_left
from judging.flow.moves import idle_timeout
from judging.flow.offer import (
    NoWork,
    all_units_taken,
    attempts_left,
    may_begin_another,
    when_to_return,
)
from judging.models import Assignment, DocumentNote, Payment
from judging.pages.current_page import WorkerPage, codes
from judging.pages.forms import (
    AnswerForm,
    ConsentForm,
    DocumentForm,
    LineForm,
    NoteForm,
    QuestionForm,
)
from judging.pages.lines import drawn, last_as_typed, ratios
from judging.pages.links import Links, links_of
from judging.pages.own_pay import HourlyPay, hourly_pay, total_earnings
from judging.pages.progress import Answer, answers, progress
from judging.pages.remaining import max_sets_and_pay, minutes_left, minutes_needed, sets_left
from judging.pages.rendering import render_page
from judging.pages.way_back import NO_WAY_ON, WayBack, external_id_of, way_back
from judging.states import State
from web import clock

CANVAS = 280  # pixels: the width of the ground that practice lines are drawn on
MARGIN = 5  # pixels of it that stay empty at either end
LISTS = ("check", "revise")  # the steps that list what was given


@dataclass(frozen=True)
class PageExtras:
    """What a page shows beside the worker's state.

    codes: completion code and topic of each paid unit; attempts_left: after practice or the
    question failed, None without a limit; may_begin_another: they might be given another unit if
    this one failed; units_taken: all units are, not only the places of a limit; returns_at: when to
    come again, if known; hourly, payments: of the unit that is done; total_earnings: of all units;
    has_passed: the checks of a unit before.
    """

    links: Links
    codes: Sequence[tuple[str, str]] = ()
    answers: Sequence[Answer] = ()
    sets_left: int = 0
    returns_at: datetime | None = None
    way_back: WayBack | None = None
    hourly: HourlyPay | None = None
    total_earnings: Sequence[tuple[int, Decimal, str]] = ()
    attempts_left: int | None = None
    may_begin_another: bool = True
    units_taken: bool = True
    payments: Sequence[Payment] = ()
    has_passed: bool = False


def show(
    request: HttpRequest, current: WorkerPage, form: AnswerForm | None = None, **extra_context: Any
) -> HttpResponseBase:
    """form: as it was sent, with its errors; extra_context: for the template."""
    study, attempt = current.study, current.assignment
    if current.step == "document" and attempt:
        return redirect("document", slug=study.slug, position=attempt.position)
    stored = answers(attempt.token) if current.step in LISTS and attempt else []
    may_begin = not current.is_live and not current.no_work
    left = sets_left(study, current.worker) if current.worker and may_begin else 0
    returns_at = None
    if current.no_work:
        returns_at = when_to_return(study, current.worker, current.no_work, clock.now())
    earned = codes(current.worker)
    back = _way_back(current, is_paid=bool(earned))
    tries = attempts_left(study, current.worker) if current.worker and may_begin else None
    extras = PageExtras(
        links_of(study),
        earned,
        stored,
        left,
        returns_at,
        back,
        *_pay(current),
        tries,
        _may_begin_another(current),
        current.no_work != NoWork.LATER or all_units_taken(study, current.worker),
        list(attempt.payments.all()) if current.step == "done" and attempt else [],
        bool(earned and current.worker and current.worker.assignments.passed().exists()),
    )
    return show_worker_page(request, current, extras, form, **extra_context)


def _pay(current: WorkerPage) -> tuple[HourlyPay | None, Sequence[tuple[int, Decimal, str]]]:
    if current.step != "done" or current.assignment is None or current.worker is None:
        return None, ()
    return hourly_pay(current.assignment), total_earnings(current.worker)


def _may_begin_another(current: WorkerPage) -> bool:
    if current.assignment is None:
        return current.study.attempts != 1 and current.study.topics.count() > 1
    return not current.is_live or may_begin_another(current.assignment, clock.now())


def _way_back(current: WorkerPage, *, is_paid: bool) -> WayBack | None:
    if current.is_live or not current.study.platform:
        return None
    external_id = external_id_of(current)
    return None if external_id is None else way_back(current, external_id, is_paid=is_paid)


def show_worker_page(
    request: HttpRequest,
    current: WorkerPage,
    extras: PageExtras,
    form: AnswerForm | None = None,
    **extra_context: Any,
) -> HttpResponseBase:
    """Any page but a document's, made without a query; extra_context: for its template."""
    study, attempt = current.study, current.assignment
    context: dict[str, Any] = {"current_page": current, "links": extras.links, **extra_context}
    context |= minutes_needed(study) | max_sets_and_pay(study) | _surroundings(current, extras)
    context["may_begin_another"] = extras.may_begin_another
    context["has_passed"] = extras.has_passed
    context["begins_at_topic"] = extras.has_passed and study.practice == study.Practice.ONCE
    if current.step == "welcome":
        context["form"] = form or consent_form(current)
    elif current.step == "practice" and attempt and attempt.practice_step:
        context |= {"form": form or line_form(current), **_line(current, attempt)}
    elif current.step == "instructions" and attempt:
        context |= drawn(attempt) | ratios(attempt)
    elif current.step == "topic" and attempt:
        topic = attempt.study_topic.topic
        language = topic.language or study.text_language
        context |= {"form": form or question_form(current), "topic": topic, "language": language}
        context["tries_left"] = study.tries_at_question - attempt.wrong_answers
    elif current.step in LISTS:
        context["answers"] = [
            (answer, extras.links.document(answer.position)) for answer in extras.answers
        ]
        context["finishes_left"] = finishes_left(attempt) if attempt else None
    return render_page(request, study, current.step.replace("-", "_"), context)


def _surroundings(current: WorkerPage, extras: PageExtras) -> dict[str, Any]:
    context: dict[str, Any] = {"is_live": current.is_live}
    if extras.returns_at:
        context["returns"] = {"at": extras.returns_at, "now": clock.now()}
    if current.worker and current.is_live and current.assignment:
        context["earned"] = [code for code, _ in extras.codes]
        attempt = current.assignment
        timeout = idle_timeout(current.study, attempt.state, attempt.furthest)
        context["leaving_pays"] = attempt.state == State.REVISING and current.study.pays_for_leaving
        context["expiry"] = _expiry(attempt.deadline_at, attempt.active_at, timeout, clock.now())
    else:
        context |= {"codes": extras.codes, "sets_left": extras.sets_left}
        context["units_taken"] = extras.units_taken
        context |= {"hourly": extras.hourly, "payments": extras.payments}
        context["total_earnings"] = extras.total_earnings
        context |= {"way_back": extras.way_back, "can_go_on": current.no_work not in NO_WAY_ON}
    if current.worker:
        context["resume_code"] = current.worker.resume_code
    if current.assignment and not current.is_live:
        context |= _ended_context(current.assignment)
        context["attempts_left"] = extras.attempts_left
    return context


def _ended_context(attempt: Assignment) -> dict[str, Any]:
    if attempt.state == State.EXPIRED:
        return {"idle_minutes": (attempt.deadline_at - attempt.active_at) / timedelta(minutes=1)}
    if attempt.state != State.FAILED:
        return {}
    if attempt.barred:
        study_topic = attempt.study_topic
        language = study_topic.topic.language or attempt.study.text_language
        return {"topic": study_topic.topic, "study_topic": study_topic, "language": language}
    return drawn(attempt)


def _expiry(until: datetime, active: datetime, timeout: timedelta, now: datetime) -> dict[str, Any]:
    seconds = max(0, math.floor((until - now).total_seconds()))
    can_renew = until - active >= timeout  # the last renewal was not cut short
    minutes = math.ceil(seconds / 60)
    return {"until": until, "seconds": seconds, "minutes": minutes, "can_renew": can_renew}


def _idle_timeout(page: DocumentPage) -> timedelta:
    state = State.REVISING if page.is_revised else State.JUDGING
    return idle_timeout(page.study, state, page.furthest)


def show_document(
    request: HttpRequest,
    page: DocumentPage,
    form: DocumentForm,
    links: Links,
    status: int = 200,
    **extra_context: Any,
) -> HttpResponseBase:
    context = {
        "links": links,
        "page": page,
        "form": form,
        "body": page.html,
        "progress": progress(
            page.position, page.answered, page.furthest, page.last, links.document
        ),
        "minutes_left": minutes_left(page.study, page.answered),
        "is_live": True,
        "leaving_pays": page.is_revised and page.study.pays_for_leaving,
        "note": note_form(page),
        "kinds": DocumentNote.Kind.choices,
        "earned": page.codes,
        "resume_code": page.resume_code,
        "expiry": _expiry(page.expires_at, page.opened_at, _idle_timeout(page), page.opened_at),
        **extra_context,
    }
    return render_page(request, page.study, "document", context, status)


def document_form(page: DocumentPage, *sent: Any) -> DocumentForm:
    stored = {"score": page.typed, "justification": page.justification, **page.browser_counts}
    return DocumentForm(
        page.levels,
        *sent,
        meanings=page.study.level_descriptions,
        initial=stored,
        previous=page.previous_score,
    )


def consent_form(current: WorkerPage, *sent: Any) -> ConsentForm | None:
    """None: the study has no box to tick, or the worker has agreed before."""
    is_asked = current.study.has_consent_box and current.worker is None
    return ConsentForm(*sent) if is_asked else None


def note_form(page: DocumentPage, **typed: str) -> NoteForm:
    kind, words = (page.note.kind, page.note.text) if page.note else ("", "")
    return NoteForm(initial={"kind": kind, "note": words, **typed})


def line_form(current: WorkerPage, *sent: Any, **typed: str) -> LineForm:
    scores = current.assignment.line_scores if current.assignment else []
    return LineForm(*sent, initial=typed, previous=last_as_typed(scores))


def question_form(current: WorkerPage, *sent: Any, **typed: str) -> QuestionForm:
    """Options are in the order that this worker sees."""
    assert current.assignment  # noqa: S101 - the topic is a step of an assignment
    topic, order = current.assignment.study_topic, current.assignment.option_order
    options = [topic.options[n] for n in order]
    return QuestionForm(topic.question, options, *sent, initial=typed)


def sent_form(current: WorkerPage, sent: QueryDict) -> AnswerForm | None:
    if current.step == "welcome":
        return consent_form(current, sent)
    if current.step == "topic":
        return question_form(current, sent)
    is_line = current.step == "practice" and current.assignment and current.assignment.practice_step
    return line_form(current, sent) if is_line else None


def _line(current: WorkerPage, attempt: Assignment) -> dict[str, Any]:
    """A reload draws the line in the same place."""
    now, count = attempt.practice_step, len(attempt.lines)
    length = attempt.lines[now - 1]
    start = random.Random(current.name).randint(MARGIN, CANVAS - MARGIN - length)  # noqa: S311
    return {
        "canvas": CANVAS,
        "x1": start,
        "x2": start + length,
        "length": length,
        "number": now,
        "lines": count,
        "progress": progress(now, range(1, now), now, count),
    }
