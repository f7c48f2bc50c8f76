"""From a backup to a site: into an empty database, shut until all is done.

If it is killed, it can be started again with the same backup: one transaction fills the tables, and
each later step is idempotent.
"""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from evaluation.pipeline import evaluate
from judging.models import Study
from operations.backup import encryption, gate, keys, manifests, postgres
from operations.backup.dumping import Measured, rows_now
from operations.backup.manifests import Manifest
from operations.backup.stores import BackupFault, Folder, Store
from operations.record.replaying import Replayed, replay, store_known
from operations.record.tasks import as_dict

POINT_IN_TIME = "point-in-time"  # brought back by PostgreSQL's own means, not from a backup of ours
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
IS_EMPTY = """
    SELECT NOT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'restoring')
        AND c.relkind IN ('r', 'p', 'v', 'm', 'S'))
"""
Log = Callable[[str], object]


def restore(
    place: Store, name: str, secrets: list[Any], log: Log, spared: frozenset[str] = frozenset()
) -> None:
    """Restore a backup into the empty database that the settings name.

    Args:
        name: `newest`, or POINT_IN_TIME to only replay the record, on a full database.
        secrets: the secret keys that may open it, as from `encryption.read_keys`.
        log: called with each step.
        spared: as in `replay`.
    """
    with gate.passing():
        if name == POINT_IN_TIME:
            since = EARLIEST
            _ensure_no_connections()  # before a site that people use is shut
            _shut(name)
        else:
            manifest = _find(place, name)
            name, since = manifest.name, manifest.made_at
            _validate_versions(manifest)
            if manifest.encrypted and not secrets:
                raise BackupFault(
                    "The backup is encrypted: name the file of the secret key by --key-file."
                )
            for fault in keys.missing(manifest.keys):
                log(fault)
            _shut(name)
            _fill_once(place, manifest, secrets, log)
        log("bringing the tables to this version")
        call_command("migrate", interactive=False, verbosity=0)
        log("replaying what was taken back, deleted and paid since")
        report(name, replay(place, since, secrets, spared), log)
        for study in Study.objects.order_by("pk"):
            log(f"computing the rankings of {study}")
            evaluate(study, everything=True)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        gate.open_up()


def _find(place: Store, name: str) -> Manifest:
    known = manifests.names(place)
    if not known:
        raise BackupFault("There is no backup at BACKUP_URL.")
    if name == "newest":
        name = known[-1]
    if name not in known:
        raise BackupFault(f"There is no backup {name}. There are: {', '.join(known)}.")
    return manifests.read(place, name)


def _validate_versions(manifest: Manifest) -> None:
    server = postgres.server_major()
    if server < manifest.postgresql:
        raise BackupFault(
            f"The backup is of PostgreSQL {manifest.postgresql}, and this is PostgreSQL {server}: "
            f"restore it into version {manifest.postgresql} or newer."
        )
    known = MigrationLoader(None).disk_migrations
    unknown = [
        f"{app}.{each}"
        for app, names in manifest.migrations.items()
        for each in names
        if (app, each) not in known
    ]
    if unknown:
        raise BackupFault(
            f"The backup was made by version {manifest.version}, which is newer than this code: "
            f"it does not know {', '.join(unknown)}. Restore it with that version."
        )


def _shut(name: str) -> None:
    """Shut the database; check that it is empty, if it must be, and that nobody is in it."""
    state = gate.state()
    if state is None and name != POINT_IN_TIME and not _is_empty():
        raise BackupFault(
            f"The database {connection.settings_dict['NAME']} is not empty. Make a new one, "
            "as by `createdb`, and name that in DATABASE_URL; or with the embedded server choose a "
            "new VAR_DIR."
        )
    if state and state[0] != name:
        raise BackupFault(
            f"The restore of {state[0]} is under way in this database. Go on with that one, or "
            "take a new database."
        )
    gate.shut()
    _ensure_no_connections()
    if state is None:
        gate.save_state(name, is_filled=False)


def _fill_once(place: Store, manifest: Manifest, secrets: list[Any], log: Log) -> None:
    if gate.state() == (manifest.name, True):
        return
    if _is_empty():  # or filled, and killed before that was saved
        log(f"reading {manifest.size:,} bytes")
        validate_file(place, manifest)
        log("filling the tables")
        fill(place, manifest, secrets)
    _validate_rows(manifest)
    gate.save_state(manifest.name, is_filled=True)


def _is_empty() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(IS_EMPTY)
        return bool(cursor.fetchone()[0])


def _ensure_no_connections() -> None:
    if others := gate.others():
        raise BackupFault(
            f"{others} others are connected to this database. Stop the web processes, the workers "
            "and the clock, and call this again."
        )


def validate_file(place: Store, manifest: Manifest) -> None:
    """BackupFault unless the file is, byte for byte, what was written."""
    measured = Measured()
    with place.reading(manifest.file) as file:
        shutil.copyfileobj(file, measured)
    if measured.size != manifest.size:
        raise BackupFault(
            f"{manifest.file} has {measured.size:,} bytes, and had {manifest.size:,} when it was "
            "made. Take another backup."
        )
    if measured.digest.hexdigest() != manifest.sha256:
        raise BackupFault(f"{manifest.file} is not what was written. Take another backup.")


def fill(place: Store, manifest: Manifest, secrets: list[Any]) -> None:
    version = max(manifest.postgresql, postgres.server_major())
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-acl"]
    with (
        place.reading(manifest.file) as file,
        postgres.running("pg_restore", version, *options) as process,
    ):
        if manifest.encrypted:
            encryption.decrypt(file, process.stdin, secrets)
        else:
            shutil.copyfileobj(file, process.stdin)


def _validate_rows(manifest: Manifest) -> None:
    here = rows_now()
    wrong = [
        f"{table}: {here.get(table, 0)} rows of {rows}"
        for table, rows in manifest.rows.items()
        if here.get(table) != rows
    ]
    if wrong:
        raise BackupFault(
            f"Not everything has come back: {'; '.join(wrong)}. Take another backup, and a new "
            "database."
        )


def report(name: str, replayed: Replayed, log: Log) -> None:
    """Log what was replayed; entries that do not fit go to a file, then are stored as known."""
    for kind, number in replayed.done.items():
        log(f"  {number} {kind}")
    if not replayed.unplaced:
        return
    path = Path(settings.VAR_DIR) / f"unplaced-{name}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    reported = {json.loads(line)["key"] for line in lines}
    for entry, why in replayed.unplaced:
        if str(entry.key) not in reported:
            lines.append(json.dumps({**as_dict(entry), "why": why}))
    with Folder(path.parent).writing(path.name) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
    store_known(entry for entry, _ in replayed.unplaced)
    log(f"  {len(replayed.unplaced)} have no place in this backup; see to them: {path}")
