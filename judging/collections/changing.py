"""Changing what is in a collection, by its owner: sharing, renaming, deleting.

What a study that has opened leans on stays as it is: it was planned from it, or its data name it.
"""

import logging
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, QuerySet

from accounts.models import User
from judging.collections.access import note, to_change
from judging.collections.incoming import CannotImport, refuse_odd
from judging.models import Collection, LabelSet, Run, Study

log = logging.getLogger(__name__)


class CannotChange(ValueError):
    """A collection cannot be changed so; the message says why, and what to do."""


def hangs_on(collection: Collection) -> dict[str, int]:
    """How much goes with a collection, by the singular of what it is."""
    return {
        "topic": collection.topics.count(),
        "document": collection.documents.count(),
        "run": collection.runs.count(),
        "label set": collection.label_sets.count(),
        "study": collection.studies.count(),
        "colleague": collection.shared_with.count(),
    }


def leaning_on(collection: Collection) -> QuerySet[Study]:
    """The studies that were planned from a collection and have opened."""
    return collection.studies.exclude(stage=Study.Stage.DRAFT).exclude(crowd=Study.Crowd.IMPORTED)


@transaction.atomic
def rename(collection: Collection, name: str, by: User | None) -> Collection:
    """Give a collection another name, and so other addresses.

    Raises:
        NotYours: it is not theirs to change.
        CannotChange: the name is none, or taken.
    """
    mine, before = to_change(collection, by), collection.slug
    mine.slug = name
    try:
        mine.full_clean(exclude=["owner"])
    except ValidationError as fault:
        raise CannotChange(" ".join(fault.messages)) from fault
    mine.save(update_fields=["slug"])
    note(mine, by, "renamed the collection", before=before)
    return mine


@transaction.atomic
def share(collection: Collection, username: str, by: User | None) -> User:
    """Let a colleague read a collection, and make studies on it.

    Raises:
        NotYours: it is not theirs to share.
        CannotChange: there is nobody of this name, or they own it.
    """
    mine = to_change(collection, by)
    colleague = User.objects.filter(username=username, is_active=True).first()
    if colleague is None:
        raise CannotChange(f"Nobody here is called {username}. An admin can invite them.")
    if colleague.pk == mine.owner_id:
        raise CannotChange(f"{username} owns the collection.")
    mine.shared_with.add(colleague)
    note(mine, by, "shared the collection", colleague=username)
    return colleague


@transaction.atomic
def share_no_longer(collection: Collection, username: str, by: User | None) -> None:
    """Share a collection with a colleague no longer; who is of a study on it goes on seeing it.

    Raises:
        NotYours: it is not theirs to share.
    """
    mine = to_change(collection, by)
    mine.shared_with.remove(*mine.shared_with.filter(username=username))
    note(mine, by, "shared the collection no longer", colleague=username)


@transaction.atomic
def delete_collection(collection: Collection, by: User | None, typed: str = "") -> dict[str, int]:
    """Delete a collection with all that is in it, for good.

    Args:
        typed: its name, typed once more.

    Returns:
        How much went with it, as `hangs_on` says.

    Raises:
        NotYours: it is not theirs to delete.
        CannotChange: a study is on it, or the name was not typed.
    """
    mine = to_change(collection, by)
    if mine.studies.exists():
        raise CannotChange(f"{_named(mine.studies.all(), by)} on it: delete what is on it first.")
    if typed != mine.slug:
        raise CannotChange(f"Type the name of the collection, {mine.slug}, to delete it.")
    numbers = hangs_on(mine)
    mine.delete()
    log.info("%s deleted collection %s: %s", by or "A command", mine, numbers)
    return numbers


@transaction.atomic
def rename_labels(collection: Collection, name: str, to: str, by: User | None) -> None:
    """Give a label set another name; drafts that take their anchors from it go on doing so.

    Raises:
        NotYours: the collection is not theirs to change.
        CannotChange: there is no such set, the name is taken or none, or a study that has opened
            speaks of it.
    """
    mine = to_change(collection, by)
    labels = _labels(mine, name)
    _refuse_leaning(mine, by, "with labels of this name")
    _refuse_name("name of labels", to, mine.label_sets.filter(name=to).exists())
    labels.name = to
    labels.save(update_fields=["name"])
    mine.studies.filter(labels=name).update(labels=to, version=F("version") + 1)
    note(mine, by, "renamed labels", before=name, after=to)


@transaction.atomic
def delete_labels(collection: Collection, name: str, by: User | None) -> None:
    """Delete a label set.

    Raises:
        NotYours: the collection is not theirs to change.
        CannotChange: there is no such set, or the anchors of a study that has opened are from it.
    """
    mine = to_change(collection, by)
    labels = _labels(mine, name)
    needing = leaning_on(mine).filter(labels=name)
    if needing.exists():
        raise CannotChange(f"{_named(needing, by)} with anchors from the labels {name}.")
    labels.delete()
    note(mine, by, "deleted labels", name=name)


@transaction.atomic
def rename_run(collection: Collection, tag: str, to: str, by: User | None) -> None:
    """Give a run another tag; rankings follow.

    Raises:
        NotYours: the collection is not theirs to change.
        CannotChange: there is no such run, or the tag is taken or none.
    """
    mine = to_change(collection, by)
    run = _run(mine, tag)
    _refuse_name("tag", to, mine.runs.filter(tag=to).exists())
    run.tag = to
    run.save(update_fields=["tag"])
    _raise_revision(mine)
    note(mine, by, "renamed a run", before=tag, after=to)


@transaction.atomic
def delete_run(collection: Collection, tag: str, by: User | None) -> None:
    """Delete a run; rankings follow.

    Raises:
        NotYours: the collection is not theirs to change.
        CannotChange: there is no such run, or the pool of a study that has opened is of its runs.
    """
    mine = to_change(collection, by)
    run = _run(mine, tag)
    _refuse_leaning(mine, by, "with pools of its runs")
    run.delete()
    _raise_revision(mine)
    note(mine, by, "deleted a run", tag=tag)


def _raise_revision(collection: Collection) -> None:
    Collection.objects.filter(pk=collection.pk).update(revision=F("revision") + 1)


def _labels(collection: Collection, name: str) -> LabelSet:
    labels = collection.label_sets.filter(name=name).first()
    if labels is None:
        raise CannotChange(f"Collection {collection} has no labels named {name}.")
    return labels


def _run(collection: Collection, tag: str) -> Run:
    run = collection.runs.filter(tag=tag).first()
    if run is None:
        raise CannotChange(f"Collection {collection} has no run {tag}.")
    return run


def _refuse_name(what: str, name: str, is_taken: bool) -> None:
    if not name.strip() or name.split() != [name]:
        raise CannotChange(f"{name!r} cannot be a {what}; expected a text without blanks.")
    try:
        refuse_odd(what, [name])
    except CannotImport as fault:
        raise CannotChange(str(fault)) from fault
    if is_taken:
        raise CannotChange(f"The {what} {name} is taken: choose another one.")


def _refuse_leaning(collection: Collection, by: User | None, why: str) -> None:
    leaning = leaning_on(collection)
    if leaning.exists():
        raise CannotChange(f"{_named(leaning, by)}, opened {why}: it stays as it is.")


def _named(studies: QuerySet[Study], by: User | None) -> str:
    """Studies as a message names them: those that somebody may not see are counted alone."""
    slugs = set(studies.values_list("slug", flat=True))
    seen = slugs if by is None else _seen(slugs, by)
    others = len(slugs) - len(seen)
    parts = sorted(seen) + ([f"{others} of other people"] if others else [])
    return f"There {'is the study' if len(slugs) == 1 else 'are the studies'} {', '.join(parts)}"


def _seen(slugs: Iterable[str], by: User) -> set[str]:
    return set(Study.objects.seen_by(by).filter(slug__in=slugs).values_list("slug", flat=True))
