"""Changing what is in a collection, by its owner; raises NotYours for others.

What a study that has opened uses stays as it is: it was planned from it, or its data name it.
"""

import logging

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, QuerySet

from accounts.models import User
from judging.collections.access import lock_for_change, log_change
from judging.collections.incoming import CannotImport, check_ids
from judging.models import Collection, LabelSet, Run, Study

log = logging.getLogger(__name__)


class CannotChange(ValueError):
    """A change that a collection does not allow; the message says why, and what to do."""


def related_counts(collection: Collection) -> dict[str, int]:
    return {
        "topic": collection.topics.count(),
        "document": collection.documents.count(),
        "run": collection.runs.count(),
        "label set": collection.label_sets.count(),
        "study": collection.studies.count(),
        "colleague": collection.shared_with.count(),
    }


def opened_studies(collection: Collection) -> QuerySet[Study]:
    return collection.studies.exclude(stage=Study.Stage.DRAFT).exclude(crowd=Study.Crowd.IMPORTED)


@transaction.atomic
def rename(collection: Collection, name: str, by: User | None) -> Collection:
    """Raises CannotChange: the name, which is part of all addresses, is taken or invalid."""
    locked, before = lock_for_change(collection, by), collection.slug
    locked.slug = name
    try:
        locked.full_clean(exclude=["owner"])
    except ValidationError as fault:
        raise CannotChange(" ".join(fault.messages)) from fault
    locked.save(update_fields=["slug"])
    log_change(locked, by, "renamed the collection", before=before)
    return locked


@transaction.atomic
def share(collection: Collection, username: str, by: User | None) -> User:
    """Let a colleague read it and make studies on it. CannotChange: nobody, or its owner."""
    locked = lock_for_change(collection, by)
    colleague = User.objects.filter(username=username, is_active=True).first()
    if colleague is None:
        raise CannotChange(f"Nobody here is called {username}. An admin can invite them.")
    if colleague.pk == locked.owner_id:
        raise CannotChange(f"{username} owns the collection.")
    locked.shared_with.add(colleague)
    log_change(locked, by, "shared the collection", colleague=username)
    return colleague


@transaction.atomic
def unshare(collection: Collection, username: str, by: User | None) -> None:
    """The team of a study on it still sees it."""
    locked = lock_for_change(collection, by)
    locked.shared_with.remove(*locked.shared_with.filter(username=username))
    log_change(locked, by, "shared the collection no longer", colleague=username)


@transaction.atomic
def mark_free_to_share(collection: Collection, *, is_free: bool, by: User | None) -> Collection:
    locked = lock_for_change(collection, by)
    if locked.free_to_share != is_free:
        locked.free_to_share = is_free
        locked.save(update_fields=["free_to_share"])
        log_change(locked, by, f"marked as {'' if is_free else 'not '}free to share")
    return locked


@transaction.atomic
def delete_collection(collection: Collection, by: User | None, typed: str = "") -> dict[str, int]:
    """Delete it with all that is in it, for good; returns the counts of `related_counts`.

    Raises CannotChange: a study is on it, or its name was not `typed`.
    """
    locked = lock_for_change(collection, by)
    if locked.studies.exists():
        raise CannotChange(
            f"{_describe(locked.studies.all(), by)} on it: delete what is on it first."
        )
    if typed != locked.slug:
        raise CannotChange(f"Type the name of the collection, {locked.slug}, to delete it.")
    numbers = related_counts(locked)
    locked.delete()
    log.info("%s deleted collection %s: %s", by or "A command", locked, numbers)
    return numbers


@transaction.atomic
def rename_labels(collection: Collection, name: str, to: str, by: User | None) -> None:
    """Drafts that take their anchors from the label set go on doing so.

    Raises CannotChange: no such set, the name is taken or invalid, or an opened study uses it.
    """
    locked = lock_for_change(collection, by)
    labels = _labels(locked, name)
    _check_not_in_use(locked, by, "with labels of this name")
    _check_name("name of labels", to, locked.label_sets.filter(name=to).exists())
    labels.name = to
    labels.save(update_fields=["name"])
    locked.studies.filter(labels=name).update(labels=to, version=F("version") + 1)
    log_change(locked, by, "renamed labels", before=name, after=to)


@transaction.atomic
def delete_labels(collection: Collection, name: str, by: User | None) -> None:
    """Raises CannotChange: no such set, or the anchors of an opened study are from it."""
    locked = lock_for_change(collection, by)
    labels = _labels(locked, name)
    needing = opened_studies(locked).filter(labels=name)
    if needing.exists():
        raise CannotChange(f"{_describe(needing, by)} with anchors from the labels {name}.")
    labels.delete()
    log_change(locked, by, "deleted labels", name=name)


@transaction.atomic
def rename_run(collection: Collection, tag: str, to: str, by: User | None) -> None:
    """Rankings follow. Raises CannotChange: no such run, or the tag is taken or invalid."""
    locked = lock_for_change(collection, by)
    run = _run(locked, tag)
    _check_name("tag", to, locked.runs.filter(tag=to).exists())
    run.tag = to
    run.save(update_fields=["tag"])
    _increment_revision(locked)
    log_change(locked, by, "renamed a run", before=tag, after=to)


@transaction.atomic
def delete_run(collection: Collection, tag: str, by: User | None) -> None:
    """Rankings follow. Raises CannotChange: no such run, or an opened study pooled its runs."""
    locked = lock_for_change(collection, by)
    run = _run(locked, tag)
    _check_not_in_use(locked, by, "with pools of its runs")
    run.delete()
    _increment_revision(locked)
    log_change(locked, by, "deleted a run", tag=tag)


def _increment_revision(collection: Collection) -> None:
    Collection.objects.filter(pk=collection.pk).update(revision=F("revision") + 1)


def _labels(collection: Collection, name: str) -> LabelSet:
    if labels := collection.label_sets.filter(name=name).first():
        return labels
    raise CannotChange(f"Collection {collection} has no labels named {name}.")


def _run(collection: Collection, tag: str) -> Run:
    if run := collection.runs.filter(tag=tag).first():
        return run
    raise CannotChange(f"Collection {collection} has no run {tag}.")


def _check_name(what: str, name: str, is_taken: bool) -> None:
    if not name.strip() or name.split() != [name]:
        raise CannotChange(f"{name!r} cannot be a {what}; expected a text without blanks.")
    try:
        check_ids(what, [name])
    except CannotImport as fault:
        raise CannotChange(str(fault)) from fault
    if is_taken:
        raise CannotChange(f"The {what} {name} is taken: choose another one.")


def _check_not_in_use(collection: Collection, by: User | None, why: str) -> None:
    opened = opened_studies(collection)
    if opened.exists():
        raise CannotChange(f"{_describe(opened, by)}, opened {why}: it stays as it is.")


def _describe(studies: QuerySet[Study], by: User | None) -> str:
    """Studies as a message names them; those that somebody may not see are only counted."""
    slugs = set(studies.values_list("slug", flat=True))
    seen = Study.objects.all() if by is None else Study.objects.seen_by(by)
    visible = set(seen.filter(slug__in=slugs).values_list("slug", flat=True))
    others = len(slugs) - len(visible)
    parts = sorted(visible) + ([f"{others} of other people"] if others else [])
    return f"There {'is the study' if len(slugs) == 1 else 'are the studies'} {', '.join(parts)}"
