import math
import random
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect

from judging.flow.documents import DocumentPage, finishes_left
from judging.flow.moves import idle_timeout
from judging.flow.offer import NoWork, may_begin_another, when_to_return
from judging.flow.standing import Standing, read_standing
from judging.models import Assignment, DocumentNote
from judging.pages.current_page import WorkerPage
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
from judging.pages.own_pay import earnings_context
from judging.pages.progress import answers, progress
from judging.pages.remaining import max_sets_and_pay, minutes_left, minutes_needed
from judging.pages.rendering import render_page
from judging.pages.way_back import NO_WAY_ON, WayBack, external_id_of, way_back
from judging.states import State
from web import clock

CANVAS = 280  # pixels: the width of the ground that practice lines are drawn on
MARGIN = 5  # pixels of it that stay empty at either end
LISTS = ("check", "revise")  # the steps that list what was given


def show(
    request: HttpRequest, current: WorkerPage, form: AnswerForm | None = None, **extra_context: Any
) -> HttpResponseBase:
    """form: as it was sent, with its errors; extra_context: for the template."""
    study, worker, attempt = current.study, current.worker, current.assignment
    if current.step == "document" and attempt:
        return redirect("document", slug=study.slug, position=attempt.position)
    standing = current.standing or read_standing(study, worker)
    may_begin = worker is not None and not current.is_live and not current.no_work
    paid = standing.paid
    context: dict[str, Any] = {
        "codes": [(unit.code, unit.topic) for unit in paid],
        "answers": answers(attempt.token) if current.step in LISTS and attempt else [],
        "sets_left": standing.sets_left if may_begin else 0,
        "way_back": _way_back(current, is_paid=bool(paid)),
        "attempts_left": standing.attempts_left if may_begin else None,
        "may_begin_another": _may_begin_another(current, standing),
        "units_taken": current.no_work != NoWork.LATER or not standing.free_topics,
        "has_passed": standing.has_passed,
        **max_sets_and_pay(study, standing.topics),
    }
    if current.no_work:
        now = clock.now()
        context["returns"] = returns(when_to_return(standing, current.no_work, now), now)
    if current.step == "done" and attempt:
        context |= earnings_context(attempt)
    return show_worker_page(request, current, links_of(study), form, **context, **extra_context)


def returns(at: datetime | None, now: datetime) -> dict[str, datetime] | None:
    """When to come again, if that is known."""
    return {"at": at, "now": now} if at else None


def _may_begin_another(current: WorkerPage, standing: Standing) -> bool:
    if current.assignment is None:
        return current.study.attempts != 1 and standing.topics > 1
    return not current.is_live or may_begin_another(standing, current.assignment, clock.now())


def _way_back(current: WorkerPage, *, is_paid: bool) -> WayBack | None:
    if current.is_live or not current.study.platform:
        return None
    external_id = external_id_of(current)
    return None if external_id is None else way_back(current, external_id, is_paid=is_paid)


def show_worker_page(
    request: HttpRequest,
    current: WorkerPage,
    links: Links,
    form: AnswerForm | None = None,
    **context: Any,
) -> HttpResponseBase:
    """Any page but a document's; context: for its template.

    codes: completion code and topic of each paid unit; attempts_left: after practice or the
    question failed, None without a limit; may_begin_another: they might be given another unit if
    this one failed; units_taken: all units are, not only the places of a limit; hourly, payments:
    of the unit that is done; total_earnings: of all units; has_passed: the checks of a unit before.
    """
    study, attempt = current.study, current.assignment
    context |= {"current_page": current, "links": links, "is_live": current.is_live}
    context |= minutes_needed(study)
    context["can_go_on"] = current.no_work not in NO_WAY_ON
    context["begins_at_topic"] = context["has_passed"] and study.practice == study.Practice.ONCE
    if current.worker:
        context["resume_code"] = current.worker.resume_code
    if attempt and current.is_live:
        context["earned"] = [code for code, _ in context["codes"]]
        context["leaving_pays"] = attempt.state == State.REVISING and study.pays_for_leaving
        timeout = idle_timeout(study, attempt.state, attempt.furthest)
        context["expiry"] = _expiry(attempt.deadline_at, attempt.active_at, timeout, clock.now())
    elif attempt:
        context |= _ended_context(attempt)
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
        rows = [(answer, links.document(answer.position)) for answer in context["answers"]]
        context["answers"] = rows
        context["finishes_left"] = finishes_left(attempt) if attempt else None
    return render_page(request, study, current.step.replace("-", "_"), context)


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
    return {
        "moment": until.isoformat(),
        "time": f"{until:%H:%M}",
        "seconds": seconds,
        "minutes": minutes,
        "can_renew": can_renew,
    }


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


def note_form(page: DocumentPage, *, is_refused: bool = False) -> NoteForm | None:
    """None: it is empty."""
    if page.note is None and not is_refused:
        return None
    kind, words = (page.note.kind, page.note.text) if page.note else ("", "")
    note = {"kind": kind, "note": words}
    return NoteForm(note if is_refused else None, initial=note)


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
