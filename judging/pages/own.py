"""The worker's own page and the download of their data.

They have no role, label, check or other worker, nor the team's opinion of anybody; of a unit in
hand its beginning only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from judging.flow.own_withdrawal import withdrawable_until
from judging.models import (
    Assignment,
    DocumentNote,
    Judgment,
    Payment,
    PlatformAccount,
    Study,
    TrailEntry,
    Worker,
)
from judging.pages.own_pay import HourlyPay, hourly_pay
from judging.states import LIVE

COPIES = {"made a release": "release", "exported an archive": "archive"}


@dataclass(frozen=True)
class OwnUnit:
    """copies: what the team exported while the answers were stored, with the day; hourly: pay."""

    code: str
    topic: str
    finished_at: datetime
    payments: Sequence[Payment]
    answers: int
    until: datetime | None = None
    is_over: bool = False
    copies: Sequence[tuple[str, date]] = ()
    hourly: HourlyPay | None = None

    @property
    def can_be_withdrawn(self) -> bool:
        return bool(self.answers) and not self.is_over


@dataclass(frozen=True)
class StoredData:
    """platform: that has an id of theirs; answers, notes: how many, of units that have ended.

    has_lines: the numbers of a failed practice are stored; in_progress: so is what they have
    entered in a unit in progress.
    """

    platform: str = ""
    answers: int = 0
    notes: int = 0
    comments: int = 0
    has_lines: bool = False
    in_progress: bool = False


@dataclass(frozen=True)
class OwnPage:
    worker: Worker | None
    units: Sequence[OwnUnit] = ()
    stored: StoredData = StoredData()

    @property
    def can_withdraw(self) -> bool:
        return any(unit.can_be_withdrawn for unit in self.units)

    @property
    def sums(self) -> list[tuple[str, str, Decimal]]:
        amounts: dict[tuple[str, str], Decimal] = {}
        for payment in (payment for unit in self.units for payment in unit.payments):
            key = (payment.state, payment.currency)
            amounts[key] = amounts.get(key, Decimal(0)) + payment.amount
        return [(*key, amounts[key]) for key in sorted(amounts)]


def own_page(study: Study, worker: Worker | None, now: datetime) -> OwnPage:
    """Empty for an unknown visitor."""
    if worker is None:
        return OwnPage(None)
    copies = _copies(study)
    units = [_own_unit(unit, copies, now) for unit in _paid(worker)]
    return OwnPage(worker, units, _stored_data(worker))


def _stored_data(worker: Worker) -> StoredData:
    account = PlatformAccount.objects.filter(worker=worker).first()
    ended = worker.assignments.exclude(state__in=LIVE)
    return StoredData(
        account.platform if account else "",
        answers=Judgment.objects.filter(assignment__in=ended).count(),
        notes=DocumentNote.objects.filter(assignment__in=ended).count(),
        comments=worker.comments.count(),
        has_lines=ended.exclude(line_scores=[]).exists(),
        in_progress=worker.assignments.live().exists(),
    )


def _paid(worker: Worker) -> Iterable[Assignment]:
    paid = worker.assignments.paid().order_by("finished_at", "pk")
    return paid.select_related("study", "study_topic__topic").prefetch_related(
        "payments", "judgments", "visits"
    )


def _copies(study: Study) -> list[tuple[str, datetime]]:
    entries = TrailEntry.objects.filter(study=study, action__in=COPIES).order_by("at")
    return [(COPIES[action], at) for action, at in entries.values_list("action", "at")]


def _own_unit(unit: Assignment, copies: list[tuple[str, datetime]], now: datetime) -> OwnUnit:
    finished_at, until = unit.finished_at or now, withdrawable_until(unit)
    payments = list(unit.payments.all())
    visits = [visit.closed_at - visit.opened_at for visit in unit.visits.all() if visit.closed_at]
    return OwnUnit(
        unit.completion_code or "",
        unit.study_topic.topic.title,
        finished_at,
        payments,
        len(unit.judgments.all()),
        until,
        until is not None and now > until,
        list(dict.fromkeys((what, at.date()) for what, at in copies if at >= finished_at)),
        hourly_pay(unit, payments, visits),
    )


# --- what can be downloaded ---------------------------------------------------------------------
PAYMENT_COLUMNS = ("kind", "amount", "currency", "state", "state_at", "reason")


def own_data(study: Study, worker: Worker) -> dict[str, Any]:
    account = PlatformAccount.objects.filter(worker=worker).first()
    assignments = worker.assignments.order_by("pk").select_related("study_topic__topic")
    return {
        "study": study.title,
        "name_in_the_data": worker.pseudonym,
        "agreed_at": worker.consented_at,
        "agreed_to_version": worker.consent_version,
        "resume_code": worker.resume_code,
        "platform": {"name": account.platform, "id": account.external_id, **account.ids}
        if account
        else None,
        "sets": [_set(assignment) for assignment in assignments],
        "comments": list(worker.comments.order_by("pk").values("text", "at")),
    }


def _set(assignment: Assignment) -> dict[str, Any]:
    about: dict[str, Any] = {
        "topic": assignment.study_topic.topic.title,
        "began_at": assignment.started_at,
        "state": "in progress" if assignment.is_live else assignment.state,
    }
    if assignment.is_live:
        return about
    return about | {
        "ended_at": assignment.finished_at,
        "completion_code": assignment.completion_code,
        "seconds_on_each_page": assignment.seconds,
        "steps_back": assignment.back_steps + assignment.revise_steps,
        "presses_of_finish_that_did_not_pass": assignment.failed_finishes,
        "wrong_answers_to_the_question": assignment.wrong_answers,
        "numbers_for_the_lines": assignment.line_scores,
        "answers": _answers(assignment),
        "notes_on_documents": _notes(assignment),
        "visits": _visits(assignment),
        "payments": list(assignment.payments.order_by("pk").values(*PAYMENT_COLUMNS)),
    }


def _answers(assignment: Assignment) -> list[dict[str, Any]]:
    rows = assignment.judgments.select_related("document__document").order_by("position")
    return [
        {
            "page": row.position,
            "document": _title(row),
            "given": row.score_text,
            "given_at_first": row.first_score,
            "given_when_finish_first_did_not_pass": row.score_at_failure,
            "reason": row.justification,
            "sent_at": row.submitted_at,
        }
        for row in rows
    ]


def _notes(assignment: Assignment) -> list[dict[str, Any]]:
    rows = assignment.notes.select_related("document__document").order_by("position")
    return [
        {
            "page": row.position,
            "document": _title(row),
            "what_is_wrong": row.get_kind_display(),
            "in_words": row.text,
            "sent_at": row.at,
        }
        for row in rows
    ]


def _title(row: Judgment | DocumentNote) -> str:
    return row.document.document.title if row.document.document else ""


def _visits(assignment: Assignment) -> list[dict[str, Any]]:
    rows = assignment.visits.order_by("pk")
    columns = ("opened_at", "closed_at", "visible_seconds", "hidden_seconds", "pasted_characters")
    return [{"page": row.pop("position"), **row} for row in rows.values("position", *columns)]
