"""Who may see and change a collection, and the log of changes."""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from accounts.models import User, Visitor
from judging.models import Collection, TrailEntry
from web import clock


class NotYours(ValueError):
    """A collection is somebody else's: it may be read, or not even that."""


def collection_for(user: Visitor, slug: str, *, to_change: bool = False) -> Collection:
    """The collection, for somebody who may see it; `to_change`: who may change it.

    Raises:
        Http404: there is none, or none that they may see.
        PermissionDenied: they may see it, and not change it.
    """
    collection = Collection.objects.seen_by(user).filter(slug=slug).first()
    if collection is None:
        raise Http404("There is no such collection.")
    if to_change and not collection.may_change(user):
        raise PermissionDenied("Only the owner of a collection changes it.")
    return collection


def lock_for_change(collection: Collection, by: User | None) -> Collection:
    """The collection, locked until the transaction ends; None is a command, which may.

    Raises:
        NotYours: only its owner and admins change it.
        Collection.DoesNotExist: it was deleted meanwhile.
    """
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if by is None or locked.may_change(by):
        return locked
    if Collection.objects.seen_by(by).filter(pk=locked.pk).exists():
        raise NotYours(f"Collection {locked} is not yours: only its owner changes it.")
    raise NotYours(f"The name {locked.slug} is taken: choose another one.")


def log_change(collection: Collection, by: User | None, action: str, **details: object) -> None:
    """Log what somebody did to a collection in the trail of each study on it."""
    details = {"collection": collection.slug, **details}
    now = clock.now()
    TrailEntry.objects.bulk_create(
        TrailEntry(study=study, at=now, by=by, action=action, details=details)
        for study in collection.studies.only("pk")
    )
