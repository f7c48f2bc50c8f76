"""Backups are made when due, one at a time on all hosts, and deleted in time."""

import logging
from datetime import datetime, timedelta

from celery import shared_task
from django.conf import settings
from django.db.models import Min

from judging.models import Study
from operations.backup import dumping, manifests
from operations.backup.stores import BackupFault, Store, store
from operations.record.tasks import FOLDER, purge
from web import clock
from web.background.leases import lease

SPARE = timedelta(days=2)  # that the record is kept beyond the oldest backup, and drafts are

log = logging.getLogger(__name__)


@shared_task
def back_up() -> str:
    """Delete old backups, then make one if it is due; returns its name, or "" if none was made.

    What people were told would be deleted is deleted even if no backup is due or can be made, and a
    full store has room again. What fails is logged, and tried again at the next tick.
    """
    with lease("backup") as is_mine:
        if not is_mine:
            return ""
        try:
            place = store()
        except BackupFault as fault:
            log.error("No backup was made or deleted: %s", fault)
            return ""
        try:
            if number := expire(place, clock.now()):
                log.info("Deleted %d backups that were too old", number)
        except (BackupFault, OSError) as fault:
            log.error("Backups that are too old cannot be deleted: %s", fault)
        try:
            return _make_if_due(place)
        except (BackupFault, OSError) as fault:
            log.error("No backup was made: %s", fault)
            return ""


def _make_if_due(place: Store) -> str:
    if not settings.BACKUP_HOURS:
        return ""
    newest = manifests.newest(place)
    if newest and clock.now() - newest < timedelta(hours=settings.BACKUP_HOURS):
        return ""
    made = dumping.make_backup(place)
    log.info("Backup %s: %d bytes", made.name, made.size)
    return made.name


def expire(place: Store, now: datetime) -> int:
    """Delete backups that are too old, and what was left half made; returns how many.

    A backup is stored for 30 days, or for the shortest retention of a study, today or when it was
    made, if that is less: that study may be deleted by now. Its manifest is deleted first: without
    one, a file is no backup, and is deleted with the others.
    """
    purge(now)  # that is the database's own affair, whatever comes of the store
    shortest = Study.objects.aggregate(days=Min("retention_days"))["days"]
    days = Study(retention_days=shortest).backup_days
    names = manifests.names(place)
    over = {name for name in names if _is_over(place, name, now, days)}
    for name in over:
        place.delete(f"{manifests.FOLDER}/{name}{manifests.ENDING}")
    for file in place.names(manifests.FOLDER):
        name = file.rpartition("/")[2].partition(".")[0]
        # One without a manifest may be being written.
        if name in over or (name not in names and _is_before(file, now - SPARE)):
            place.delete(file)
    for file in place.names(FOLDER):
        # What happened before the oldest backup stands in it.
        if _is_before(file, now - timedelta(days=days) - SPARE):
            place.delete(file)
    return len(over)


def _is_over(place: Store, name: str, now: datetime, days: int) -> bool:
    if _is_before(name, now - timedelta(days=days)):
        return True
    try:
        promised = manifests.read(place, name).days
    except BackupFault:
        return False  # it is spoiled, and goes with the others
    return _is_before(name, now - timedelta(days=max(1, min(days, promised))))


def _is_before(file: str, moment: datetime) -> bool:
    made_at = manifests.moment_of(file)
    return made_at is not None and made_at < moment
