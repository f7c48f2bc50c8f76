"""A page of a preview: the worker's own, put together from objects that are never saved."""

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import cycle, islice
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext, gettext_noop

from judging import flow
from judging.flow.documents import DocumentPage, build_page
from judging.flow.moves import idle_timeout
from judging.flow.offer import NoWork
from judging.flow.reading import Shown
from judging.models import Assignment, Judgment, Payment, Study, Worker
from judging.pages.current_page import WorkerPage
from judging.pages.forms import AnswerForm, ConsentForm, ResumeForm, WithdrawForm
from judging.pages.links import Links
from judging.pages.me import show_me
from judging.pages.own import OwnPage, OwnUnit, StoredData
from judging.pages.own_pay import CENT, HourlyPay
from judging.pages.preview.pages import PreviewPage
from judging.pages.preview.sample import Sample
from judging.pages.progress import Answer
from judging.pages.remaining import max_sets_and_pay, minutes_needed
from judging.pages.resuming import show_resume
from judging.pages.showing import (
    LISTS,
    document_form,
    line_form,
    question_form,
    returns,
    show_document,
    show_worker_page,
)
from judging.pages.unknown import show_unknown
from judging.pages.way_back import way_back
from judging.states import State
from web import clock

TOKEN = "preview"  # noqa: S105 - names the set that is none
EXTERNAL_ID = "1234"  # by which a platform knows the worker
RESUME_CODE = "SAMPLECODE"
CODES = ("SAMPLE0001", "SAMPLE0002", "SAMPLE0003")
LENGTHS = (120, 55, 225)  # of the practice lines
LINE_SCORES = (12.0, 5.5, 22.5)
WRONG_SCORES = (12.0, 22.5, 5.5)
RETURNS_IN = timedelta(minutes=25)
SCORES = ("40", "15", "90", "7.5", "60")
SETS_LEFT = 3
REASON = gettext_noop("The reason that a worker gives stands here.")


def show_preview(
    request: HttpRequest, sample: Sample, page: PreviewPage, links: Links, **extra_context: Any
) -> HttpResponseBase:
    """Nothing is read or stored; extra_context: for the page's template."""
    sample = _at_stage(sample, page)
    if page.step == "resume":
        form = ResumeForm()
        return show_resume(
            request, sample.study, form, has_account=page.has_account, links=links, **extra_context
        )
    if page.step == "me":
        return _show_me(request, sample, page, links, **extra_context)
    if page.step == "unknown":
        return show_unknown(request, sample.study, links, status=200, **extra_context)
    if page.step == "document":
        return _show_document(request, sample, page, links, **extra_context)
    now = clock.now()
    current = _current_page(sample, page, now)
    returns_at = now + RETURNS_IN if page.no_work in (NoWork.LATER, NoWork.QUOTA) else None
    context = {
        "codes": _codes(sample, page),
        "answers": _answers(sample, page),
        "sets_left": SETS_LEFT,
        "returns": returns(returns_at, now),
        "way_back": way_back(current, EXTERNAL_ID, is_paid=page.codes > 0),
        "may_begin_another": _may_begin_another(sample.study, page),
        "units_taken": True,
        "payments": _payments(sample.study),
        "has_passed": False,
        **max_sets_and_pay(sample.study, sample.study.topics.count()),
        **_pay(sample, page),
    }
    refused_form = _refused(current) if page.refused else None
    response = show_worker_page(request, current, links, refused_form, **context, **extra_context)
    response.status_code = 200  # nothing was sent
    return response


def _show_me(
    request: HttpRequest, sample: Sample, page: PreviewPage, links: Links, **extra_context: Any
) -> HttpResponseBase:
    study, now = sample.study, clock.now()
    attempt = _attempt(sample, page, State.COMPLETED, now)
    payments = _payments(study)
    size, hourly = study.unit_size, _hourly(study)
    units = [
        OwnUnit(code, topic, now, payments, size, hourly=hourly)
        for code, topic in _codes(sample, page)
    ]
    own = OwnPage(attempt.worker, units, StoredData(answers=len(units) * study.unit_size))
    context = {"to_confirm": attempt if page.confirms else None, **extra_context}
    return show_me(request, study, own, links, WithdrawForm(), **context)


def _may_begin_another(study: Study, page: PreviewPage) -> bool:
    sets = study.units if page.step == "practice" and study.units.exists() else study.topics
    return study.attempts != 1 and sets.count() > 1


def _payments(study: Study) -> list[Payment]:
    owed = Payment(amount=study.payment, currency=study.currency, state=Payment.State.OWED)
    return [owed] if study.payment else []


def _at_stage(sample: Sample, page: PreviewPage) -> Sample:
    study = copy.copy(sample.study)
    study.stage = page.stage
    return replace(sample, study=study)


def _current_page(sample: Sample, page: PreviewPage, now: datetime) -> WorkerPage:
    if page.state is None:
        return WorkerPage(sample.study, page.step, None, None, page.no_work)
    attempt = _attempt(sample, page, page.state, now)
    return WorkerPage(sample.study, page.step, attempt.worker, attempt, page.no_work)


def _attempt(sample: Sample, page: PreviewPage, state: State, now: datetime) -> Assignment:
    study, size = sample.study, sample.study.unit_size
    line = page.number if state == State.PRACTICE else 0
    order = list(range(4))
    random.Random(sample.study_topic.question).shuffle(order)  # noqa: S311 - the same every time
    return Assignment(
        study=study,
        study_topic=sample.study_topic,
        worker=Worker(study=study, pseudonym=TOKEN, resume_code=RESUME_CODE, consented_at=now),
        token=TOKEN,
        state=state,
        lines=list(LENGTHS),
        line_scores=list(_line_scores(study, state, line)),
        practice_step=line,
        wrong_answers=page.wrong_answers,
        option_order=order,
        order=list(range(size)),
        position=page.number,
        furthest=size,
        failed_finishes=(study.max_failed_finishes or 0) if state == State.EXHAUSTED else 0,
        barred=page.barred,
        active_at=now,
        deadline_at=now + idle_timeout(study, state, size),
        progressed_at=now,
        payment=study.payment,
        completion_code=CODES[page.codes - 1] if page.codes else None,
    )


def _line_scores(study: Study, state: State, line: int) -> Sequence[float]:
    if state == State.FAILED:
        return WRONG_SCORES
    if state == State.INSTRUCTIONS and study.ratios_after_practice:
        return LINE_SCORES
    return LINE_SCORES[: max(0, line - 1)]


def _refused(current: WorkerPage) -> AnswerForm:
    if current.step == "welcome":
        return ConsentForm({})
    if current.step == "practice":
        return line_form(current, {"score": "0"})
    return question_form(current, {})


def _codes(sample: Sample, page: PreviewPage) -> list[tuple[str, str]]:
    """The page shows one topic for all."""
    return [(code, sample.study_topic.topic.title) for code in CODES[: page.codes]]


def _pay(sample: Sample, page: PreviewPage) -> dict[str, Any]:
    study = sample.study
    if page.step != "done" or not study.payment:
        return {}
    return {
        "hourly": None if page.state == State.WITHDRAWN else _hourly(study),
        "total_earnings": [(page.codes, study.payment * page.codes, study.currency)],
    }


def _hourly(study: Study) -> HourlyPay | None:
    """If a unit took as long as Welcome says."""
    if not study.payment:
        return None
    minutes = minutes_needed(study)["minutes"]
    return HourlyPay(minutes, (study.payment * 60 / minutes).quantize(CENT), study.currency)


def _scores(sample: Sample) -> list[str]:
    return list(islice(cycle(sample.study.levels or SCORES), sample.study.unit_size))


def _answers(sample: Sample, page: PreviewPage) -> list[Answer]:
    if page.step not in LISTS:
        return []
    rows = zip(sample.documents, _scores(sample), strict=True)
    return [
        Answer(position, document.title, score, gettext(REASON))
        for position, (document, score) in enumerate(rows, 1)
    ]


# --- documents ------------------------------------------------------------------------------------
def _show_document(
    request: HttpRequest, sample: Sample, page: PreviewPage, links: Links, **extra_context: Any
) -> HttpResponseBase:
    shown = _document_page(sample, page, clock.now())
    form = document_form(shown)
    if page.refused:
        form = document_form(shown, form.initial)
        form.add_errors(flow.page_errors(shown))
    return show_document(request, shown, form, links, **extra_context)


def _document_page(sample: Sample, page: PreviewPage, now: datetime) -> DocumentPage:
    attempt = _attempt(sample, page, page.state or State.JUDGING, now)
    attempt.furthest = sample.study.unit_size if page.revising else page.number
    document = sample.documents[page.number - 1]
    shown = Shown(
        sample.study_topic.topic, document, None, RESUME_CODE, [], [*_judgments(sample, page)]
    )
    return build_page(attempt, shown)


def _judgments(sample: Sample, page: PreviewPage) -> Iterator[Judgment]:
    """On a page that is refused the reason is missing."""
    for position, score in enumerate(_scores(sample), 1):
        if page.revising or position < page.number:
            yield Judgment(
                position=position, score=1, score_text=score, justification=gettext(REASON)
            )
        elif page.refused and position == page.number:
            yield Judgment(position=position, draft_score_text=score, draft_justification="")
