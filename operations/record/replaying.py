"""Withdrawals, deletions and payments since a backup, replayed on the restored database."""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, RestrictedError

from accounts.models import User
from judging.flow.ending import end, record_withdrawal, withdraw
from judging.models import Assignment, Payment, RecordEntry
from judging.states import LIVE, Actor, State
from operations.backup import sealing
from operations.backup.faults import BackupFault
from operations.backup.manifests import moment_of
from operations.backup.stores import Store
from operations.record.attempts import CannotRestore, restore_payment
from operations.record.writing import FOLDER
from web import clock

Kind = RecordEntry.Kind
# An entry has the time of its statement; no transaction of ours takes longer.
OVERLAP = timedelta(days=1)
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
# Raised by lines that are no entries; times of the year 1 overflow.
UNREADABLE = (ValueError, TypeError, KeyError, RecursionError, OverflowError)
# Deletions first, since what is deleted needs nothing else; withdrawals after what they may undo.
ORDER = [Kind.DELETED, Kind.EARNED, Kind.DECIDED, Kind.WITHDRAWN]


@dataclass
class Replayed:
    """The number of replayed entries by kind, and those that do not fit, with the reason."""

    done: dict[str, int] = field(default_factory=dict)
    unplaced: list[dict[str, Any]] = field(default_factory=list)


def replay(
    place: Store, since: datetime, keys: list[Any], spared: frozenset[str] = frozenset()
) -> Replayed:
    """Replay the entries of the record from a time on that the database does not have.

    An entry in the database was made in the same transaction as its change: both are there. Each is
    replayed and stored in a transaction of its own, so replaying is idempotent and continues where
    it was killed. Entries that do not fit are not stored: the caller reports them, and then calls
    `mark_known`.

    Args:
        since: the time of the backup.
        keys: by which the record is decrypted.
        spared: tables whose deleted rows stay, since deleting them was a mistake.
    """
    entries = {
        entry["key"]: entry
        for entry in read(place, since - OVERLAP, keys)
        if entry["details"].get("table") not in spared
    }
    stored = RecordEntry.objects.filter(key__in=entries).values_list("key", flat=True)
    for key in stored:
        del entries[str(key)]
    result = Replayed()
    order = sorted(entries.values(), key=lambda each: (ORDER.index(each["kind"]), each["at"]))
    gone = _studies_deleted(order)
    for entry in order:
        _replay(entry, gone, result)
    return result


def read(place: Store, since: datetime, keys: list[Any]) -> Iterator[dict[str, Any]]:
    """The entries of the record from a time on.

    Raises:
        BackupFault: a file or a line is no part of a record; it says which.
    """
    for name in place.names(FOLDER):
        if _moment(name) < since:  # a file is younger than its entries
            continue
        for number, line in enumerate(_content(place, name, keys).splitlines(), 1):
            try:
                moment, entry = _entry(line)
            except UNREADABLE as fault:
                problem = f"{name}, line {number}: no entry of the record ({type(fault).__name__})."
                raise BackupFault(problem) from fault
            if moment >= since:
                yield entry


def _moment(name: str) -> datetime:
    try:
        return moment_of(name)
    except ValueError as fault:
        raise BackupFault(f"{name}: no file of the record. Move it elsewhere.") from fault


def _entry(line: bytes) -> tuple[datetime, dict[str, Any]]:
    """An entry and its time."""
    entry = json.loads(line)
    moment = datetime.fromisoformat(entry["at"]).astimezone(UTC)
    return moment, {
        "key": str(UUID(str(entry["key"]))),
        "at": entry["at"],
        "kind": Kind(entry["kind"]),
        "details": dict(entry["details"]),
    }


def _content(place: Store, name: str, keys: list[Any]) -> bytes:
    with place.reading(name) as file:
        if not name.endswith(sealing.ENDING):
            content: bytes = file.read()
            return content
        decrypted = io.BytesIO()
        try:
            sealing.unseal(file, decrypted, keys)
        except BackupFault as fault:
            raise BackupFault(f"{name}: {fault}") from fault
    return decrypted.getvalue()


def _studies_deleted(entries: Iterable[dict[str, Any]]) -> set[int]:
    return {
        key
        for entry in entries
        if entry["kind"] == Kind.DELETED and entry["details"]["table"] == "judging.Study"
        for key in entry["details"]["keys"]
    }


def _replay(entry: dict[str, Any], studies_gone: set[int], result: Replayed) -> None:
    details = entry["details"]
    try:
        with transaction.atomic():
            if entry["kind"] == Kind.EARNED:
                if details["attempt"]["study_id"] not in studies_gone:
                    restore_payment(details)
            else:
                REPLAY[entry["kind"]](details)
            mark_known([entry])
    except (CannotRestore, ProtectedError, RestrictedError, IntegrityError) as fault:
        result.unplaced.append({**entry, "why": str(fault)})
    else:
        result.done[entry["kind"]] = result.done.get(entry["kind"], 0) + 1


def mark_known(entries: Iterable[dict[str, Any]]) -> None:
    """Store entries as written, since later backups contain their effects."""
    now = clock.now()
    RecordEntry.objects.bulk_create(
        RecordEntry(
            key=entry["key"],
            at=entry["at"],
            kind=entry["kind"],
            details=entry["details"],
            written_at=now,
        )
        for entry in entries
    )


def _delete(details: dict[str, Any]) -> None:
    apps.get_model(details["table"]).objects.filter(pk__in=details["keys"]).delete()


def _decide(details: dict[str, Any]) -> None:
    state_at = datetime.fromisoformat(details["state_at"])
    for token, kind in details["payments"]:
        of_token = Assignment.objects.filter(token=token).values("pk")
        earlier = Payment.objects.filter(assignment__in=of_token, state_at__lte=state_at)
        earlier.filter(kind=kind).update(
            state=details["state"],
            state_at=state_at,
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


REPLAY = {Kind.DELETED: _delete, Kind.DECIDED: _decide, Kind.WITHDRAWN: _withdraw}
