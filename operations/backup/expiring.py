"""Backups and the record end: nothing is kept longer there than people were told."""

from datetime import datetime, timedelta

from django.db.models import Min

from judging.models import Study
from operations.backup import manifests
from operations.backup.faults import BackupFault
from operations.backup.stores import Store
from operations.record.writing import FOLDER, purge

SPARE = timedelta(days=2)  # that the record is kept beyond the oldest backup


def days() -> int:
    """How many days a backup is kept: 30, or the shortest retention of a study, if that is less."""
    return days_for(Study.objects.aggregate(days=Min("retention_days"))["days"])


def days_for(shortest: int | None) -> int:
    """How many days for the shortest retention of any study; None: each keeps what it has."""
    return Study(retention_days=shortest).backup_days


def expire(place: Store, now: datetime) -> int:
    """Delete the backups that are too old, and what was left half made; returns how many went.

    A manifest goes first: what has none is no backup, and its file goes with the others.
    """
    purge(now)  # that is the database's own affair, whatever comes of the store
    most = days()
    oldest = now - timedelta(days=most)
    names = manifests.names(place)
    over = {name for name in names if _is_over(place, name, now, most)}
    for name in over:
        place.delete(f"{manifests.FOLDER}/{name}{manifests.ENDING}")
    kept = set(names) - over
    for file in place.names(manifests.FOLDER):
        name = file.rpartition("/")[2].partition(".")[0]
        # One without a manifest may be in the making.
        if name in over or (name not in kept and _is_old(file, now)):
            place.delete(file)
    for file in place.names(FOLDER):
        if _is_old(file, oldest):  # what happened before the oldest backup stands in it
            place.delete(file)
    place.sweep()
    return len(over)


def _is_over(place: Store, name: str, now: datetime, most: int) -> bool:
    """Whether a backup is older than `most` days, or than was told of the studies that it has.

    One of them may be deleted by now, and with it the reason for fewer days than `most`.
    """
    made_at = manifests.moment_of(name)
    if made_at < now - timedelta(days=most):
        return True
    try:
        told = manifests.read(place, name).days
    except BackupFault:
        return False  # it is spoiled, and goes with the others
    return made_at < now - timedelta(days=max(1, min(most, told)))


def _is_old(file: str, now: datetime) -> bool:
    try:
        return manifests.moment_of(file) < now - SPARE
    except ValueError:
        return False  # not ours
