"""Writes the record to files of JSON lines, each of which is written once, as a whole."""

import io
import json
import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from celery import shared_task

from judging.models import RecordEntry
from operations.backup import encryption
from operations.backup.manifests import name_at
from operations.backup.stores import BackupFault, store
from web import clock
from web.background.deadlines import check_deadline
from web.background.leases import lease

FOLDER = "record"
MAX_ENTRIES = 1000  # of a file
TIMEOUT = timedelta(seconds=30)  # of a request to a bucket
RETENTION = timedelta(days=60)  # in the table: longer than any backup is kept

log = logging.getLogger(__name__)


@shared_task
def write_record() -> int:
    try:
        return write_all()
    except (BackupFault, OSError) as fault:  # the next tick writes it
        log.error("The record cannot be written: %s", fault)
        return 0


def write_all() -> int:
    """Write the entries that are not written yet; returns how many.

    A process that is killed between the file and the table will write the same again, which does no
    harm, since replaying is idempotent.
    """
    waiting = RecordEntry.objects.filter(written_at=None).order_by("pk")
    if not waiting.exists():
        return 0
    written = 0
    with lease("record") as acquired:
        while acquired and (entries := list(waiting[:MAX_ENTRIES])):
            check_deadline()
            _write(entries)
            keys = [entry.pk for entry in entries]
            RecordEntry.objects.filter(pk__in=keys).update(written_at=clock.now())
            written += len(entries)
    return written


def _write(entries: list[RecordEntry]) -> None:
    lines = "".join(f"{json.dumps(as_dict(entry))}\n" for entry in entries)
    keys = encryption.recipients()
    ending = encryption.ENDING if keys else ""
    name = f"{FOLDER}/{name_at(clock.now())}-{uuid4().hex}.jsonl{ending}"
    with store(TIMEOUT).writing(name) as file:
        encryption.encrypt(io.BytesIO(lines.encode()), file, keys)


def as_dict(entry: RecordEntry) -> dict[str, Any]:
    """As a line of a file has it."""
    return {
        "key": str(entry.key),
        "at": entry.at.isoformat(),
        "kind": entry.kind,
        "details": entry.details,
    }


def purge(now: datetime) -> int:
    return RecordEntry.objects.filter(written_at__lt=now - RETENTION).delete()[0]
