"""Withdrawals and payments for the record: within the transaction that makes them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from accounts.models import User
from judging.models import Assignment, Payment, RecordEntry
from judging.states import By

# Of an attempt, what brings it back without its answers where a backup is from before its end.
ATTEMPT = (
    *("study_id", "study_topic_id", "unit_id", "token", "state", "lines", "option_order", "order"),
    *("started_at", "active_at", "deadline_at", "finished_at", "seconds", "completion_code"),
)
WORKER = ("pseudonym", "consented_at", "consent_version", "practised", "verified")


def tell_earned(payment: Payment) -> None:
    """A unit has earned a payment."""
    attempt, worker = payment.assignment, payment.assignment.worker
    details = {
        "kind": payment.kind,
        "amount": str(payment.amount),
        "currency": payment.currency,
        "state_at": _plain(payment.state_at),
        "payment": str(attempt.payment),
        "attempt": {name: _plain(getattr(attempt, name)) for name in ATTEMPT},
        "worker": {name: _plain(getattr(worker, name)) for name in WORKER},
    }
    RecordEntry.objects.create(kind=RecordEntry.Kind.EARNED, details=details)


def tell_decided(
    payments: Iterable[tuple[str, str]], state: str, state_at: datetime, category: str, reason: str
) -> None:
    """Payments came to a state; each is the token of its assignment and its kind."""
    details = {
        "payments": [list(payment) for payment in payments],
        "state": state,
        "state_at": _plain(state_at),
        "category": category,
        "reason": reason,
    }
    RecordEntry.objects.create(kind=RecordEntry.Kind.DECIDED, details=details)


def tell_withdrawn(assignment: Assignment, by: By, user: User | None) -> None:
    """The answers of a unit were deleted. The record names nobody: `user` stands there by key."""
    details = {"assignment": assignment.token, "by": by, "user": user.pk if user else None}
    RecordEntry.objects.create(kind=RecordEntry.Kind.WITHDRAWN, details=details)


def _plain(value: Any) -> Any:
    """As JSON can hold it, to the microsecond."""
    return value.isoformat() if isinstance(value, datetime) else value
