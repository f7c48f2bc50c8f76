"""The pages themselves: which template shows a place, with what in it."""

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
from judging.pages.ended import ended
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
from judging.pages.own_pay import HourlyPay, earned_in_all, hourly_pay
from judging.pages.progress import Answer, answers, progress
from judging.pages.remaining import at_most, minutes_left, minutes_needed, sets_left
from judging.pages.rendering import render_page
from judging.pages.standing import Place, codes
from judging.pages.way_back import NO_WAY_ON, WayBack, sent_by, way_back
from judging.states import State
from web import clock

CANVAS = 280  # pixels: the width of the ground that practice lines are drawn on
MARGIN = 5  # pixels of it that stay empty at either end
LISTS = ("check", "revise")  # the steps that list what was given


@dataclass(frozen=True)
class Beside:
    """What a page shows beside its place.

    codes: completion code and topic of each paid unit; answers: what was given to each document;
    sets_left: how many more units the worker may do now; attempts_left: how often they may try
    after practice or the question failed, None without a limit; may_begin_another: whether they
    might be given another unit if this one failed; units_taken: all units are, not only the places
    of a limit; returns_at: when it is worth coming
    again, where that can be said; way_back: to their platform; hourly, in_all: what a unit that is
    done paid an hour, and all units together; payments: of that unit; has_passed: whether their
    work has passed the checks of a whole unit before.
    """

    links: Links
    codes: Sequence[tuple[str, str]] = ()
    answers: Sequence[Answer] = ()
    sets_left: int = 0
    returns_at: datetime | None = None
    way_back: WayBack | None = None
    hourly: HourlyPay | None = None
    in_all: Sequence[tuple[int, Decimal, str]] = ()
    attempts_left: int | None = None
    may_begin_another: bool = True
    units_taken: bool = True
    payments: Sequence[Payment] = ()
    has_passed: bool = False


def show(
    request: HttpRequest, place: Place, form: AnswerForm | None = None, **more: Any
) -> HttpResponseBase:
    """The page of a place; with `form`, the one that was sent, and what is wrong with it.

    more: what its template knows besides.
    """
    study, attempt = place.study, place.assignment
    if place.step == "document" and attempt:
        return redirect("document", slug=study.slug, position=attempt.position)
    stored = answers(attempt.token) if place.step in LISTS and attempt else []
    may_begin = not place.is_live and not place.no_work
    left = sets_left(study, place.worker) if place.worker and may_begin else 0
    returns_at = None
    if place.no_work:
        returns_at = when_to_return(study, place.worker, place.no_work, clock.now())
    earned = codes(place.worker)
    back = _way_back(place, is_paid=bool(earned))
    tries = attempts_left(study, place.worker) if place.worker and may_begin else None
    beside = Beside(
        links_of(study),
        earned,
        stored,
        left,
        returns_at,
        back,
        *_pay(place),
        tries,
        _may_begin_another(place),
        place.no_work != NoWork.LATER or all_units_taken(study, place.worker),
        list(attempt.payments.all()) if place.step == "done" and attempt else [],
        bool(earned and place.worker and place.worker.assignments.passed().exists()),
    )
    return show_place(request, place, beside, form, **more)


def _pay(place: Place) -> tuple[HourlyPay | None, Sequence[tuple[int, Decimal, str]]]:
    """What the unit that is done paid an hour, and what its worker earned in all."""
    if place.step != "done" or place.assignment is None or place.worker is None:
        return None, ()
    return hourly_pay(place.assignment), earned_in_all(place.worker)


def _may_begin_another(place: Place) -> bool:
    """Whether a page that can end a unit may promise another."""
    if place.assignment is None:
        return place.study.attempts != 1 and place.study.topics.count() > 1
    return not place.is_live or may_begin_another(place.assignment, clock.now())


def _way_back(place: Place, *, is_paid: bool) -> WayBack | None:
    if place.is_live or not place.study.platform:
        return None
    external_id = sent_by(place)
    return None if external_id is None else way_back(place, external_id, is_paid=is_paid)


def show_place(
    request: HttpRequest,
    place: Place,
    beside: Beside,
    form: AnswerForm | None = None,
    **more: Any,
) -> HttpResponseBase:
    """The page of a place that is no document, from what is given alone.

    more: what its template knows besides.
    """
    study, attempt = place.study, place.assignment
    context: dict[str, Any] = {"place": place, "links": beside.links, **more}
    context |= minutes_needed(study) | at_most(study) | _around(place, beside)
    context["may_begin_another"] = beside.may_begin_another
    context["has_passed"] = beside.has_passed
    context["begins_at_topic"] = beside.has_passed and study.practice == study.Practice.ONCE
    if place.step == "welcome":
        context["form"] = form or consent_form(place)
    elif place.step == "practice" and attempt and attempt.practice_step:
        context |= {"form": form or line_form(place), **_line(place, attempt)}
    elif place.step == "instructions" and attempt:
        context |= drawn(attempt) | ratios(attempt)
    elif place.step == "topic" and attempt:
        topic = attempt.study_topic.topic
        language = topic.language or study.text_language
        context |= {"form": form or question_form(place), "topic": topic, "language": language}
        context["tries_left"] = study.tries_at_question - attempt.wrong_answers
    elif place.step in LISTS:
        context["answers"] = [
            (answer, beside.links.document(answer.position)) for answer in beside.answers
        ]
        context["finishes_left"] = finishes_left(attempt) if attempt else None
    return render_page(request, study, place.step.replace("-", "_"), context)


def _around(place: Place, beside: Beside) -> dict[str, Any]:
    """What stands around the page of a place: what its foot and its end are made of."""
    context: dict[str, Any] = {"is_live": place.is_live}
    if beside.returns_at:
        context["returns"] = {"at": beside.returns_at, "now": clock.now()}
    if place.worker and place.is_live and place.assignment:
        context["earned"] = [code for code, _ in beside.codes]
        attempt = place.assignment
        held = idle_timeout(place.study, attempt.state, attempt.furthest)
        context["leaving_pays"] = attempt.state == State.REVISING and place.study.pays_for_leaving
        context["kept"] = _kept(attempt.deadline_at, attempt.active_at, held, clock.now())
    else:
        context |= {"codes": beside.codes, "sets_left": beside.sets_left}
        context["units_taken"] = beside.units_taken
        context |= {"hourly": beside.hourly, "in_all": beside.in_all, "payments": beside.payments}
        context |= {"way_back": beside.way_back, "can_go_on": place.no_work not in NO_WAY_ON}
    if place.worker:
        context["resume_code"] = place.worker.resume_code
    if place.assignment and not place.is_live:
        context |= ended(place.assignment)
        context["attempts_left"] = beside.attempts_left
    return context


def _kept(until: datetime, active: datetime, held: timedelta, now: datetime) -> dict[str, Any]:
    """Until when a set is kept, how long that is from `now`, and whether it can be renewed."""
    seconds = max(0, math.floor((until - now).total_seconds()))
    can_renew = until - active >= held  # the last renewal was not cut short
    minutes = math.ceil(seconds / 60)
    return {"until": until, "seconds": seconds, "minutes": minutes, "can_renew": can_renew}


def _held(page: DocumentPage) -> timedelta:
    state = State.REVISING if page.is_revised else State.JUDGING
    return idle_timeout(page.study, state, page.furthest)


def show_document(
    request: HttpRequest,
    page: DocumentPage,
    form: DocumentForm,
    links: Links,
    status: int = 200,
    **more: Any,
) -> HttpResponseBase:
    """A document's page, with the form as it stands; `more` is what its template knows besides."""
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
        "kept": _kept(page.expires_at, page.opened_at, _held(page), page.opened_at),
        **more,
    }
    return render_page(request, page.study, "document", context, status)


def document_form(page: DocumentPage, *sent: Any) -> DocumentForm:
    """The form of a document's page: as it was sent, or as it is stored."""
    stored = {"score": page.typed, "justification": page.justification, **page.browser_counts}
    return DocumentForm(
        page.levels,
        *sent,
        meanings=page.study.level_descriptions,
        initial=stored,
        previous=page.previous_score,
    )


def consent_form(place: Place, *sent: Any) -> ConsentForm | None:
    """The box to tick on Welcome; None: this study has none, or the worker has agreed before."""
    is_asked = place.study.agrees_by_box and place.worker is None
    return ConsentForm(*sent) if is_asked else None


def note_form(page: DocumentPage, **typed: str) -> NoteForm:
    """The form of what is wrong with a page's document: as it was typed, or as it is stored."""
    kind, words = (page.note.kind, page.note.text) if page.note else ("", "")
    return NoteForm(initial={"kind": kind, "note": words, **typed})


def line_form(place: Place, *sent: Any, **typed: str) -> LineForm:
    """The form of a practice line: as it was sent, or as it was typed."""
    scores = place.assignment.line_scores if place.assignment else []
    return LineForm(*sent, initial=typed, previous=last_as_typed(scores))


def question_form(place: Place, *sent: Any, **typed: str) -> QuestionForm:
    """The form of the question on the topic, its options in the order this worker sees."""
    assert place.assignment  # noqa: S101 - the topic is a step of an assignment
    topic, order = place.assignment.study_topic, place.assignment.option_order
    options = [topic.options[n] for n in order]
    return QuestionForm(topic.question, options, *sent, initial=typed)


def sent_form(place: Place, sent: QueryDict) -> AnswerForm | None:
    """The form of a place as it was sent; None: the place has none."""
    if place.step == "welcome":
        return consent_form(place, sent)
    if place.step == "topic":
        return question_form(place, sent)
    is_line = place.step == "practice" and place.assignment and place.assignment.practice_step
    return line_form(place, sent) if is_line else None


def _line(place: Place, attempt: Assignment) -> dict[str, Any]:
    """The practice line to draw, at a place that a reload does not change."""
    now, count = attempt.practice_step, len(attempt.lines)
    length = attempt.lines[now - 1]
    start = random.Random(place.name).randint(MARGIN, CANVAS - MARGIN - length)  # noqa: S311
    return {
        "canvas": CANVAS,
        "x1": start,
        "x2": start + length,
        "length": length,
        "number": now,
        "lines": count,
        "progress": progress(now, range(1, now), now, count),
    }
