from django.core.exceptions import PermissionDenied
from django.http import Http404

from accounts.models import User, Visitor
from judging.models import Collection, TrailEntry
from web import clock


class NotYours(ValueError):
    """A collection is somebody else's: it may be read, or not even that."""


def collection_for(user: Visitor, slug: str, *, to_change: bool = False) -> Collection:
    """Raises Http404 unless somebody may see it, and PermissionDenied unless they may change it."""
    collection = Collection.objects.seen_by(user).filter(slug=slug).first()
    if collection is None:
        raise Http404("There is no such collection.")
    if to_change and not collection.may_change(user):
        raise PermissionDenied("Only the owner of a collection changes it.")
    return collection


def lock_for_change(collection: Collection, by: User | None) -> Collection:
    """Locked until the transaction ends; raises NotYours. None is a command, which may."""
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if by is None or locked.may_change(by):
        return locked
    if Collection.objects.seen_by(by).filter(pk=locked.pk).exists():
        raise NotYours(f"Collection {locked} is not yours: only its owner changes it.")
    raise NotYours(f"The name {locked.slug} is taken: choose another one.")


def log_change(collection: Collection, by: User | None, action: str, **details: object) -> None:
    details = {"collection": collection.slug, **details}
    now = clock.now()
    TrailEntry.objects.bulk_create(
        TrailEntry(study=study, at=now, by=by, action=action, details=details)
        for study in collection.studies.only("pk")
    )
