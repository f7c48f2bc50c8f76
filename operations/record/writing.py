"""Writing entries of the record to files, each of which is written once, as a whole."""

import io
import json
from datetime import datetime, timedelta
from uuid import uuid4

from judging.models import RecordEntry
from operations.backup import sealing
from operations.backup.manifests import name_at
from operations.backup.stores import Store, store
from web import clock
from web.background.leases import lease

FOLDER = "record"
ENDING = ".jsonl"
MAX_ENTRIES = 1000  # of a file
RETENTION = timedelta(days=60)  # in the table: longer than any backup is kept


def write_all() -> int:
    """Write the entries that are not written yet; returns how many.

    A process that is killed between the file and the table will write the same again, which does no
    harm, since replaying is idempotent.
    """
    if not RecordEntry.objects.filter(written_at=None).exists():
        return 0
    written = 0
    with lease("record") as acquired:
        while acquired and (entries := list(_waiting())):
            _write(store(), entries)
            keys = [entry.pk for entry in entries]
            RecordEntry.objects.filter(pk__in=keys).update(written_at=clock.now())
            written += len(entries)
    return written


def _waiting() -> list[RecordEntry]:
    return list(RecordEntry.objects.filter(written_at=None).order_by("pk")[:MAX_ENTRIES])


def _write(place: Store, entries: list[RecordEntry]) -> None:
    lines = "".join(f"{json.dumps(_as_dict(entry))}\n" for entry in entries)
    keys = sealing.recipients()
    name = f"{FOLDER}/{name_at(clock.now())}-{uuid4().hex}{ENDING}{sealing.ENDING if keys else ''}"
    with place.writing(name) as file:
        sealing.seal(io.BytesIO(lines.encode()), file, keys)


def _as_dict(entry: RecordEntry) -> dict[str, object]:
    return {
        "key": str(entry.key),
        "at": entry.at.isoformat(),
        "kind": entry.kind,
        "details": entry.details,
    }


def purge(now: datetime) -> int:
    """Delete entries from the table after RETENTION; returns how many."""
    return RecordEntry.objects.filter(written_at__lt=now - RETENTION).delete()[0]
