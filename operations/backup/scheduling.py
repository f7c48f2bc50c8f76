"""Backups by the clock: one at a time, on all hosts."""

import logging
from datetime import timedelta

from django.conf import settings

from operations.backup import expiring, making, manifests
from operations.backup.faults import BackupFault
from operations.backup.stores import store
from web import clock
from web.background.leases import held

log = logging.getLogger(__name__)


def make_if_due() -> str:
    """Make a backup if the newest is BACKUP_HOURS old; its name, "" where none was made.

    What fails is logged, and tried again when the clock asks next.
    """
    if not settings.BACKUP_HOURS:
        return ""
    with held("backup") as is_mine:
        if not is_mine:
            return ""
        try:
            return _make_if_due()
        except (BackupFault, OSError) as fault:
            log.error("No backup was made: %s", fault)
            return ""


def _make_if_due() -> str:
    place, now = store(), clock.now()
    newest = manifests.newest(place)
    if newest and now - newest < timedelta(hours=settings.BACKUP_HOURS):
        return ""
    made = making.make(place)
    gone = expiring.expire(place, now)
    log.info("Backup %s: %d bytes; %d were too old", made.name, made.size, gone)
    return made.name
