import io
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import IntegrityError, transaction
from django.db.models import F, ProtectedError, RestrictedError

from accounts.models import User
from judging.flow.ending import delete_answers, end, free_units, record_withdrawal, withdraw
from judging.models import (
    Assignment,
    Payment,
    PooledDocument,
    RecordEntry,
    Study,
    StudyTopic,
    Unit,
    Worker,
)
from judging.states import LIVE, Actor, State
from operations.backup import encryption
from operations.backup.manifests import moment_of
from operations.backup.stores import DRAFT, BackupFault, Store
from operations.record.tasks import FOLDER, as_dict
from web import clock

Kind = RecordEntry.Kind
# An entry has the time of its statement; no transaction of ours takes longer.
OVERLAP = timedelta(days=1)
# Raised by lines that are no entries; times of the year 1 overflow.
UNREADABLE = (ValueError, TypeError, KeyError, RecursionError, OverflowError)


class CannotRestore(Exception):
    """It does not fit into the database; the message says why."""


@dataclass
class Replayed:
    """The number of replayed entries by kind, and those that do not fit, with the reason."""

    done: Counter[str] = field(default_factory=Counter)
    unplaced: list[tuple[RecordEntry, str]] = field(default_factory=list)


def replay(
    place: Store, since: datetime, secrets: list[Any], spared: frozenset[str] = frozenset()
) -> Replayed:
    """Replay the entries of the record since a time that the database does not have.

    An entry is stored in the same transaction as its change, when it is made and when it is
    replayed: replaying is idempotent and continues where it was killed. Entries that do not fit are
    not stored: the caller reports them, and then calls `store_known`.

    Args:
        since: the time of the backup.
        secrets: by which the record is decrypted.
        spared: tables whose deleted rows stay, since deleting them was a mistake.
    """
    entries = {
        entry.key: entry
        for entry in read(place, since - OVERLAP, secrets)
        if entry.details.get("table") not in spared
    }
    for key in RecordEntry.objects.filter(key__in=entries).values_list("key", flat=True):
        del entries[key]
    order = list(REPLAY)
    result = Replayed()
    deleted_studies: set[int] = set()
    for entry in sorted(entries.values(), key=lambda each: (order.index(each.kind), each.at)):
        details = entry.details
        if details.get("table") == Study._meta.label:
            deleted_studies.update(details["keys"])
        try:
            with transaction.atomic():
                if details.get("attempt", {}).get("study_id") not in deleted_studies:
                    REPLAY[entry.kind](details)
                store_known([entry])
        except (CannotRestore, ProtectedError, RestrictedError, IntegrityError) as fault:
            result.unplaced.append((entry, str(fault)))
        else:
            result.done[entry.kind] += 1
    return result


def store_known(entries: Iterable[RecordEntry]) -> None:
    """Store entries as written, since later backups contain their effects."""
    rows = [RecordEntry(**as_dict(entry), written_at=clock.now()) for entry in entries]
    RecordEntry.objects.bulk_create(rows)


def read(place: Store, since: datetime, secrets: list[Any]) -> Iterator[RecordEntry]:
    """BackupFault names a file or a line that is no part of a record."""
    for name in place.names(FOLDER):
        if name.endswith(DRAFT):
            continue
        moment = moment_of(name)
        if moment is None:
            raise BackupFault(f"{name}: no file of the record. Move it elsewhere.")
        if moment < since:  # a file is younger than its entries
            continue
        for number, line in enumerate(_content(place, name, secrets).splitlines(), 1):
            try:
                entry = _entry(json.loads(line))
            except UNREADABLE as fault:
                problem = f"{name}, line {number}: no entry of the record ({type(fault).__name__})."
                raise BackupFault(problem) from fault
            if entry.at >= since:
                yield entry


def _content(place: Store, name: str, secrets: list[Any]) -> bytes:
    content = io.BytesIO()
    with place.reading(name) as file:
        if not name.endswith(encryption.ENDING):
            shutil.copyfileobj(file, content)
            return content.getvalue()
        try:
            encryption.decrypt(file, content, secrets)
        except BackupFault as fault:
            raise BackupFault(f"{name}: {fault}") from fault
    return content.getvalue()


def _entry(fields: dict[str, Any]) -> RecordEntry:
    return RecordEntry(
        key=UUID(str(fields["key"])),
        at=datetime.fromisoformat(fields["at"]).astimezone(UTC),
        kind=Kind(fields["kind"]),
        details=dict(fields["details"]),
    )


def _delete(details: dict[str, Any]) -> None:
    apps.get_model(details["table"]).objects.filter(pk__in=details["keys"]).delete()


def _earn(details: dict[str, Any]) -> None:
    """Restore a payment that was earned after the backup, and its attempt.

    The worker's answers are lost: the attempt is withdrawn, and its unit is free again.
    """
    Payment.objects.get_or_create(
        assignment=_attempt(details),
        kind=details["kind"],
        defaults={name: details[name] for name in ("amount", "currency", "state_at")},
    )


def _attempt(details: dict[str, Any]) -> Assignment:
    """The attempt, paid; unchanged if it has ended in the backup."""
    fields = details["attempt"]
    attempt = Assignment.objects.locked().filter(token=fields["token"]).first()
    if attempt is not None and attempt.completion_code:
        return attempt
    if attempt is None:
        _check_place(fields)
        worker = _worker(fields["study_id"], details["worker"])
        attempt = Assignment(worker=worker, payment=details["payment"])
    topic = StudyTopic.objects.filter(pk=fields["study_topic_id"])
    was_live = attempt.pk is not None and attempt.state in LIVE
    for name, value in fields.items():
        setattr(attempt, name, value)
    if attempt.state == State.COMPLETED:
        attempt.state = State.WITHDRAWN
        topic.update(revision=F("revision") + 2)  # once for completed, once for withdrawn
    attempt.furthest, attempt.position = len(attempt.order), len(attempt.order)
    barred = Assignment.objects.filter(
        worker=attempt.worker_id, study_topic=attempt.study_topic_id, barred=True
    )
    attempt.barred = not barred.exclude(pk=attempt.pk).exists()
    attempt.save()
    if was_live:
        delete_answers([attempt])
        free_units([attempt])
    return attempt


def _check_place(fields: dict[str, Any]) -> None:
    units = Unit.objects.filter(
        pk=fields["unit_id"], study=fields["study_id"], study_topic=fields["study_topic_id"]
    )
    if not units.exists():
        raise CannotRestore("the study has no such unit in the backup")
    documents = PooledDocument.objects.filter(study_topic=fields["study_topic_id"])
    if documents.filter(pk__in=fields["order"]).count() != len(fields["order"]):
        raise CannotRestore("the pool of the topic is another one in the backup")


def _worker(study: int, fields: dict[str, Any]) -> Worker:
    Study.objects.filter(pk=study, crowd=Study.Crowd.NOBODY).update(crowd=Study.Crowd.PEOPLE)
    return Worker.objects.get_or_create(
        study_id=study, pseudonym=fields["pseudonym"], defaults=fields
    )[0]


def _decide(details: dict[str, Any]) -> None:
    for token, kind in details["payments"]:
        of_token = Assignment.objects.filter(token=token).values("pk")
        earlier = Payment.objects.filter(assignment__in=of_token, state_at__lte=details["state_at"])
        earlier.filter(kind=kind).update(
            state=details["state"],
            state_at=details["state_at"],
            category=details["category"],
            reason=details["reason"],
            decided_by=None,
            question="",
        )


def _withdraw(details: dict[str, Any]) -> None:
    """Delete the answers, even if the unit was not yet finished in the backup."""
    attempt = Assignment.objects.locked().filter(token=details["assignment"]).first()
    if attempt is None:
        return
    by, user = Actor(details["by"]), User.objects.filter(pk=details["user"]).first()
    if attempt.state in LIVE:
        end([attempt], "release", State.RELEASED, Actor.TEAM, clock.now())
    elif attempt.completion_code and withdraw(attempt.completion_code, clock.now(), by, user):
        return
    record_withdrawal(attempt, by, user)


# In this order: what is deleted needs nothing else; withdrawals come after what they may undo.
REPLAY: dict[str, Callable[[dict[str, Any]], None]] = {
    Kind.DELETED: _delete,
    Kind.EARNED: _earn,
    Kind.DECIDED: _decide,
    Kind.WITHDRAWN: _withdraw,
}
