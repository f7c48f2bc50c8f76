"""Rows that are deleted, told to the record whatever way they go: a page, the admin, the tick.

Signals tell of each of them, where a call beside each `delete` would one day be forgotten. What
goes with another that is told here is not told itself: to delete that once more deletes both.
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
TOLD: tuple[type[Model], ...] = (
    *(PlatformAccount, Participant, Comment, Worker, Membership, Invitation, User, Token),
    *(Study, Collection, Run, LabelSet),
)
_KEYS = "_keys_for_the_record"


def watch() -> None:
    """Tell of deletions from now on."""
    for model in TOLD:
        pre_delete.connect(_gather, sender=model)
        post_delete.connect(_tell, sender=model)


def _gather(sender: type[Model], instance: Model, origin: Any = None, **_: Any) -> None:
    """All rows of one `delete` come here before the first of them goes."""
    if origin is not None and not _goes_with_another(sender, origin):
        origin.__dict__.setdefault(_KEYS, []).append(instance.pk)


def _tell(sender: type[Model], instance: Model, origin: Any = None, **_: Any) -> None:
    if origin is None:
        keys = [instance.pk]
    elif _goes_with_another(sender, origin):
        return
    else:
        keys = origin.__dict__.pop(_KEYS, [])
    if keys:
        RecordEntry.objects.create(
            kind=RecordEntry.Kind.DELETED, details={"table": sender._meta.label, "keys": keys}
        )


def _goes_with_another(sender: type[Model], origin: Model | QuerySet[Any]) -> bool:
    model = origin.model if isinstance(origin, QuerySet) else type(origin)
    return model is not sender and model in TOLD
