"""What a restored backup must not undo: logged here, written outside by `operations.record`.

Withdrawals and payments are logged by the code that makes them, in its transaction. Deleted rows
are logged by signals, as a call beside each `delete` would one day be forgotten; rows that are
deleted by the cascade of a logged one are not, as replaying that deletes both.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.signals import post_delete, pre_delete

from accounts.models import Token, User
from judging import models
from judging.models import Assignment, Payment, RecordEntry
from judging.states import Actor

# Enough to restore an attempt without its answers from a backup that is older than its end.
ATTEMPT_FIELDS = (
    *("study_id", "study_topic_id", "unit_id", "token", "state", "lines", "option_order", "order"),
    *("started_at", "active_at", "deadline_at", "finished_at", "seconds", "completion_code"),
)
WORKER_FIELDS = ("pseudonym", "consented_at", "consent_version", "practised", "verified")
# Of people, and of what people put here.
LOGGED_MODELS: tuple[type[Model], ...] = (
    *(models.PlatformAccount, models.Participant, models.Comment, models.Worker),
    *(models.Membership, models.Invitation, User, Token),
    *(models.Study, models.Collection, models.Run, models.LabelSet),
)
_KEYS = "_keys_for_the_record"


def log_earning(payment: Payment) -> None:
    attempt = payment.assignment
    _log(
        RecordEntry.Kind.EARNED,
        kind=payment.kind,
        amount=str(payment.amount),
        currency=payment.currency,
        state_at=payment.state_at,
        payment=str(attempt.payment),
        attempt={name: getattr(attempt, name) for name in ATTEMPT_FIELDS},
        worker={name: getattr(attempt.worker, name) for name in WORKER_FIELDS},
    )


def log_decision(
    payments: Iterable[tuple[str, str]], state: str, state_at: datetime, category: str, reason: str
) -> None:
    """Each payment is named by the token of its assignment and its kind."""
    decided = {"state": state, "state_at": state_at, "category": category, "reason": reason}
    _log(RecordEntry.Kind.DECIDED, payments=list(payments), **decided)


def log_withdrawal(assignment: Assignment, by: Actor, user: User | None) -> None:
    """user: stored by key, not by name."""
    key = user.pk if user else None
    _log(RecordEntry.Kind.WITHDRAWN, assignment=assignment.token, by=by, user=key)


def _log(kind: RecordEntry.Kind, /, **details: Any) -> None:
    """Times are written to the microsecond."""
    plain = json.loads(json.dumps(details, default=datetime.isoformat))
    RecordEntry.objects.create(kind=kind, details=plain)


def connect_signals() -> None:
    for model in LOGGED_MODELS:
        pre_delete.connect(_collect_keys, sender=model)
        post_delete.connect(_log_deletion, sender=model)


def _collect_keys(sender: type[Model], instance: Model, origin: Any = None, **_: Any) -> None:
    """Called for all rows of one `delete` before the first of them is deleted."""
    if origin is not None and not _is_deleted_with_another(sender, origin):
        origin.__dict__.setdefault(_KEYS, []).append(instance.pk)


def _log_deletion(sender: type[Model], instance: Model, origin: Any = None, **_: Any) -> None:
    if origin is not None and _is_deleted_with_another(sender, origin):
        return
    if keys := [instance.pk] if origin is None else origin.__dict__.pop(_KEYS, []):
        _log(RecordEntry.Kind.DELETED, table=sender._meta.label, keys=keys)


def _is_deleted_with_another(sender: type[Model], origin: Model | QuerySet[Any]) -> bool:
    model = origin.model if isinstance(origin, QuerySet) else type(origin)
    return model is not sender and model in LOGGED_MODELS
