"""Backups by the clock: one at a time, on all hosts."""

import logging
from datetime import timedelta

from django.conf import settings

from operations.backup import expiring, making, manifests
from operations.backup.faults import BackupFault
from operations.backup.stores import Store, store
from web import clock
from web.background.leases import lease

log = logging.getLogger(__name__)


def look_after() -> str:
    """Delete what is too old, then make a backup if one is due; its name, "" where none was made.

    What people were told goes is gone whether or not a new one is due, or can be made; a full store
    has room again. What fails is logged, and tried again when the clock asks next.
    """
    with lease("backup") as is_mine:
        if not is_mine:
            return ""
        try:
            place = store()
        except BackupFault as fault:
            log.error("No backup was made or deleted: %s", fault)
            return ""
        _expire(place)
        try:
            return _make_if_due(place)
        except (BackupFault, OSError) as fault:
            log.error("No backup was made: %s", fault)
            return ""


def _expire(place: Store) -> None:
    try:
        gone = expiring.expire(place, clock.now())
    except (BackupFault, OSError) as fault:
        log.error("Backups that are too old cannot be deleted: %s", fault)
        return
    if gone:
        log.info("Deleted %d backups that were too old", gone)


def _make_if_due(place: Store) -> str:
    """Make one if the newest is BACKUP_HOURS old."""
    if not settings.BACKUP_HOURS:
        return ""
    newest = manifests.newest(place)
    if newest and clock.now() - newest < timedelta(hours=settings.BACKUP_HOURS):
        return ""
    made = making.make(place)
    log.info("Backup %s: %d bytes", made.name, made.size)
    return made.name
