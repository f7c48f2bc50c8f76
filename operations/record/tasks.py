"""The task of the record."""

import logging

from celery import shared_task

from operations.backup.faults import BackupFault
from operations.record import writing

log = logging.getLogger(__name__)


@shared_task
def write_record() -> int:
    """Write withdrawals, deletions and payments to where the backups are."""
    try:
        return writing.write_all()
    except (BackupFault, OSError) as fault:  # the next tick writes it
        log.error("The record cannot be written: %s", fault)
        return 0
