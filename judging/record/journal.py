"""Withdrawals and payments, logged within the transaction that makes them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from accounts.models import User
from judging.models import Assignment, Payment, RecordEntry
from judging.states import Actor

# Enough to restore an attempt without its answers from a backup that is older than its end.
ATTEMPT_FIELDS = (
    *("study_id", "study_topic_id", "unit_id", "token", "state", "lines", "option_order", "order"),
    *("started_at", "active_at", "deadline_at", "finished_at", "seconds", "completion_code"),
)
WORKER_FIELDS = ("pseudonym", "consented_at", "consent_version", "practised", "verified")


def log_earning(payment: Payment) -> None:
    attempt, worker = payment.assignment, payment.assignment.worker
    details = {
        "kind": payment.kind,
        "amount": str(payment.amount),
        "currency": payment.currency,
        "state_at": _as_json(payment.state_at),
        "payment": str(attempt.payment),
        "attempt": {name: _as_json(getattr(attempt, name)) for name in ATTEMPT_FIELDS},
        "worker": {name: _as_json(getattr(worker, name)) for name in WORKER_FIELDS},
    }
    RecordEntry.objects.create(kind=RecordEntry.Kind.EARNED, details=details)


def log_decision(
    payments: Iterable[tuple[str, str]], state: str, state_at: datetime, category: str, reason: str
) -> None:
    """Log the new state of payments, each named by the token of its assignment and its kind."""
    details = {
        "payments": [list(payment) for payment in payments],
        "state": state,
        "state_at": _as_json(state_at),
        "category": category,
        "reason": reason,
    }
    RecordEntry.objects.create(kind=RecordEntry.Kind.DECIDED, details=details)


def log_withdrawal(assignment: Assignment, by: Actor, user: User | None) -> None:
    """Log that the answers of a unit were deleted; `user` is stored by key, not by name."""
    details = {"assignment": assignment.token, "by": by, "user": user.pk if user else None}
    RecordEntry.objects.create(kind=RecordEntry.Kind.WITHDRAWN, details=details)


def _as_json(value: Any) -> Any:
    """A value for JSON; times to the microsecond."""
    return value.isoformat() if isinstance(value, datetime) else value
