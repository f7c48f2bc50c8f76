"""What the page of one's own shows, and what can be downloaded there: a worker's own data alone.

No role, label, check or other worker stands in it, nor what the team thinks of anybody; of a unit
in hand its beginning only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from judging.flow.taking_back import withdrawable_until
from judging.models import Assignment, Payment, PlatformAccount, Study, TrailEntry, Worker

COPIES = {"made a release": "a release", "exported an archive": "an archive"}


@dataclass(frozen=True)
class OwnUnit:
    """A unit with a code: what it pays, and whether its answers can be taken back.

    copies: what the study's team took away while the answers were there, with the day.
    """

    code: str
    topic: str
    finished_at: datetime
    payments: Sequence[Payment]
    answers: int
    until: datetime | None = None
    is_over: bool = False
    copies: Sequence[tuple[str, date]] = ()

    @property
    def can_be_withdrawn(self) -> bool:
        return bool(self.answers) and not self.is_over


@dataclass(frozen=True)
class OwnPage:
    """All that a worker's own page shows."""

    worker: Worker | None
    units: Sequence[OwnUnit] = ()
    platform: str = ""
    comments: int = 0

    @property
    def sums(self) -> list[tuple[str, str, Decimal]]:
        """What was earned by state and currency: state, currency, amount."""
        amounts: dict[tuple[str, str], Decimal] = {}
        for payment in (payment for unit in self.units for payment in unit.payments):
            key = (payment.state, payment.currency)
            amounts[key] = amounts.get(key, Decimal(0)) + payment.amount
        return [(*key, amounts[key]) for key in sorted(amounts)]

    @property
    def answers(self) -> int:
        """How many answers are stored."""
        return sum(unit.answers for unit in self.units)


def own_page(study: Study, worker: Worker | None, now: datetime) -> OwnPage:
    """The page of a worker; of somebody who is not known, an empty one."""
    if worker is None:
        return OwnPage(None)
    account = PlatformAccount.objects.filter(worker=worker).first()
    copies = _copies(study)
    units = [_own_unit(unit, copies, now) for unit in _paid(worker)]
    platform = account.platform if account else ""
    return OwnPage(worker, units, platform, worker.comments.count())


def _paid(worker: Worker) -> Iterable[Assignment]:
    paid = worker.assignments.paid().order_by("finished_at", "pk")
    return paid.select_related("study", "study_topic__topic").prefetch_related(
        "payments", "judgments"
    )


def _copies(study: Study) -> list[tuple[str, datetime]]:
    """When the team took data away, as far as the trail tells."""
    entries = TrailEntry.objects.filter(study=study, action__in=COPIES).order_by("at")
    return [(COPIES[action], at) for action, at in entries.values_list("action", "at")]


def _own_unit(unit: Assignment, copies: list[tuple[str, datetime]], now: datetime) -> OwnUnit:
    finished_at, until = unit.finished_at or now, withdrawable_until(unit)
    return OwnUnit(
        unit.completion_code or "",
        unit.study_topic.topic.title,
        finished_at,
        list(unit.payments.all()),
        len(unit.judgments.all()),
        until,
        until is not None and now > until,
        list(dict.fromkeys((what, at.date()) for what, at in copies if at >= finished_at)),
    )


# --- what can be downloaded ---------------------------------------------------------------------
def own_data(study: Study, worker: Worker) -> dict[str, Any]:
    """All that is stored about a worker, as JSON can hold it."""
    account = PlatformAccount.objects.filter(worker=worker).first()
    assignments = worker.assignments.order_by("pk").select_related("study_topic__topic")
    return {
        "study": study.title,
        "name_in_the_data": worker.pseudonym,
        "agreed_at": worker.consented_at,
        "agreed_to_version": worker.consent_version,
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
        "state": "in hand" if assignment.is_live else assignment.state,
    }
    if assignment.is_live:
        return about
    return about | {
        "ended_at": assignment.finished_at,
        "completion_code": assignment.completion_code,
        "seconds_on_each_page": assignment.seconds,
        "steps_back": assignment.back_steps + assignment.revise_steps,
        "presses_of_finish_that_did_not_pass": assignment.failed_finishes,
        "answers": _answers(assignment),
        "visits": _visits(assignment),
        "payments": _payments(assignment),
    }


def _answers(assignment: Assignment) -> list[dict[str, Any]]:
    rows = assignment.judgments.select_related("document__document").order_by("position")
    return [
        {
            "page": row.position,
            "document": row.document.document.title if row.document.document else "",
            "given": row.score_text,
            "given_at_first": row.first_score,
            "reason": row.justification,
            "sent_at": row.submitted_at,
        }
        for row in rows
    ]


def _visits(assignment: Assignment) -> list[dict[str, Any]]:
    rows = assignment.visits.order_by("pk")
    columns = ("opened_at", "closed_at", "visible_seconds", "hidden_seconds", "pasted_characters")
    return [{"page": row.pop("position"), **row} for row in rows.values("position", *columns)]


def _payments(assignment: Assignment) -> list[dict[str, Any]]:
    columns = ("kind", "amount", "currency", "state", "state_at", "reason")
    return list(assignment.payments.order_by("pk").values(*columns))
