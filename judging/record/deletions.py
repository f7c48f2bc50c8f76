"""Logs deleted rows, however they are deleted: by a page, the admin, the tick.

Signals log them, as a call beside each `delete` would one day be forgotten. A row that is deleted
by the cascade of another logged row is not logged itself: replaying that deletes both.
"""

from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.signals import post_delete, pre_delete

from accounts.models import Token, User
from judging.models import (
    Collection,
    Comment,
    Invitation,
    LabelSet,
    Membership,
    Participant,
    PlatformAccount,
    RecordEntry,
    Run,
    Study,
    Worker,
)

# Of people, and of what people put here.
LOGGED_MODELS: tuple[type[Model], ...] = (
    *(PlatformAccount, Participant, Comment, Worker, Membership, Invitation, User, Token),
    *(Study, Collection, Run, LabelSet),
)
_KEYS = "_keys_for_the_record"


def connect_signals() -> None:
    for model in LOGGED_MODELS:
        pre_delete.connect(_collect_keys, sender=model)
        post_delete.connect(_log_deletion, sender=model)


def _collect_keys(sender: type[Model], instance: Model, origin: Any = None, **_: Any) -> None:
    """Called for all rows of one `delete` before the first of them is deleted."""
    if origin is not None and not _is_deleted_with_another(sender, origin):
        origin.__dict__.setdefault(_KEYS, []).append(instance.pk)


def _log_deletion(sender: type[Model], instance: Model, origin: Any = None, **_: Any) -> None:
    if origin is None:
        keys = [instance.pk]
    elif _is_deleted_with_another(sender, origin):
        return
    else:
        keys = origin.__dict__.pop(_KEYS, [])
    if keys:
        RecordEntry.objects.create(
            kind=RecordEntry.Kind.DELETED, details={"table": sender._meta.label, "keys": keys}
        )


def _is_deleted_with_another(sender: type[Model], origin: Model | QuerySet[Any]) -> bool:
    model = origin.model if isinstance(origin, QuerySet) else type(origin)
    return model is not sender and model in LOGGED_MODELS
