"""From a backup to a site: into an empty database, and shut until all is done.

Killed at any moment it can be begun again, with the same backup: what is filled is filled in one
transaction, and each step after it does nothing the second time.
"""

import hashlib
import json
import subprocess
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from evaluation.pipeline import evaluate
from judging.models import Study
from operations.backup import gate, manifests, programs, sealing
from operations.backup.faults import BackupFault
from operations.backup.keys import missing
from operations.backup.making import rows_now
from operations.backup.manifests import Manifest
from operations.backup.stores import Folder, Store
from operations.record.replaying import EARLIEST, Replayed, mark_known, replay

CHUNK = 1024 * 1024
POINT_IN_TIME = "point-in-time"  # brought back by PostgreSQL's own means, not from a backup of ours
BEGUN, FILLED = "begun", "filled"
IS_EMPTY = """
    SELECT NOT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'restoring')
        AND c.relkind IN ('r', 'p', 'v', 'm', 'S'))
"""
Tell = Callable[[str], None]


def restore(
    place: Store, name: str, keys: list[Any], tell: Tell, spared: frozenset[str] = frozenset()
) -> None:
    """Restore a backup into the empty database that the settings name.

    Args:
        keys: the secret keys that may open it, as from `sealing.read_key`.
        tell: is told each step.
        spared: as in `replay`.

    Raises:
        BackupFault: it cannot be done; the message says why, and what to do.
    """
    manifest = _find(place, name)
    with gate.passing():
        connection.close()  # an earlier one has been let in already, or refused
        insist_on_fit(manifest, keys)
        for fault in missing(manifest.keys):
            tell(fault)
        _begin(manifest)
        if gate.state() != (manifest.name, FILLED):
            if _is_empty():  # or filled, and killed before that was written down
                tell(f"reading {manifest.size:,} bytes")
                insist_on_whole(place, manifest)
                tell("filling the tables")
                _fill(place, manifest, keys)
            _insist_on_rows(manifest)
            gate.note(manifest.name, FILLED)
        _catch_up(place, manifest.name, manifest.made_at, keys, tell, spared)


def catch_up(place: Store, keys: list[Any], tell: Tell, spared: frozenset[str]) -> None:
    """Replay the record on a database that PostgreSQL's own means have brought back.

    Args: as of `restore`.

    Raises:
        BackupFault: others are in it, or a restore is under way in it.
    """
    with gate.passing():
        connection.close()
        state = gate.state()
        if state and state[0] != POINT_IN_TIME:
            raise BackupFault(f"The restore of {state[0]} is under way in this database.")
        _insist_on_nobody()  # before a site that people use is shut
        gate.shut()
        _insist_on_nobody()
        gate.note(POINT_IN_TIME, FILLED)
        _catch_up(place, POINT_IN_TIME, EARLIEST, keys, tell, spared)


def _catch_up(
    place: Store,
    name: str,
    since: datetime,
    keys: list[Any],
    tell: Tell,
    spared: frozenset[str],
) -> None:
    """From full tables to a site that is open."""
    tell("bringing the tables to this version")
    call_command("migrate", interactive=False, verbosity=0)
    tell("replaying what was taken back, deleted and paid since")
    _report(name, replay(place, since, keys, spared), tell)
    _recompute(tell)
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


def insist_on_fit(manifest: Manifest, keys: list[Any]) -> None:
    """BackupFault unless this server, this code and these keys can take the backup."""
    if manifest.encrypted and not keys:
        raise BackupFault("The backup is encrypted: name the file of the secret key by --key-file.")
    server = programs.server_major()
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


def _begin(manifest: Manifest) -> None:
    """Shut the database, and make sure that it is empty and that nobody else is in it."""
    state = gate.state()
    if state is None and not _is_empty():
        raise BackupFault(
            f"The database {connection.settings_dict['NAME']} is not empty. Make a new one, "
            "as by `createdb`, and name that in DATABASE_URL; or with the embedded server choose a "
            "new VAR_DIR."
        )
    if state and state[0] != manifest.name:
        raise BackupFault(
            f"The restore of {state[0]} is under way in this database. Go on with that one, or "
            "take a new database."
        )
    gate.shut()
    _insist_on_nobody()
    if state is None:
        gate.note(manifest.name, BEGUN)


def _is_empty() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(IS_EMPTY)
        return bool(cursor.fetchone()[0])


def _insist_on_nobody() -> None:
    if others := gate.others():
        raise BackupFault(
            f"{others} others are connected to this database. Stop the web processes, the workers "
            "and the clock, and call this again."
        )


def insist_on_whole(place: Store, manifest: Manifest) -> None:
    """BackupFault unless the file is, byte for byte, what was written."""
    digest, size = hashlib.sha256(), 0
    with place.reading(manifest.file) as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
    if size != manifest.size:
        raise BackupFault(
            f"{manifest.file} has {size:,} bytes, and had {manifest.size:,} when it was made. "
            "Take another backup."
        )
    if digest.hexdigest() != manifest.sha256:
        raise BackupFault(f"{manifest.file} is not what was written. Take another backup.")


def _fill(place: Store, manifest: Manifest, keys: list[Any]) -> None:
    """Fill the database in one transaction."""
    least = max(manifest.postgresql, programs.server_major())
    program = programs.program("pg_restore", least)
    name = programs.place()["NAME"]
    command = [str(program), "--single-transaction", "--exit-on-error", "--no-owner", "--no-acl"]
    with TemporaryFile() as said:
        process = subprocess.Popen(  # noqa: S603
            [*command, f"--dbname={name}"],
            env=programs.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        try:
            with place.reading(manifest.file) as file:
                _pour(file, process.stdin, keys if manifest.encrypted else None)
        except BrokenPipeError:
            pass  # it has given up, and says why
        except BaseException:
            process.kill()  # the transaction ends with it
            raise
        finally:
            status = process.wait()
        if status:
            said.seek(0)
            raise BackupFault(f"pg_restore failed: {said.read().decode(errors='replace').strip()}")


def _pour(file: Any, target: Any, keys: list[Any] | None) -> None:
    with target:
        if keys is None:
            while chunk := file.read(CHUNK):
                target.write(chunk)
        else:
            sealing.unseal(file, target, keys)


def _insist_on_rows(manifest: Manifest) -> None:
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


def _report(name: str, replayed: Replayed, tell: Tell) -> None:
    for kind, number in replayed.done.items():
        tell(f"  {number} {kind}")
    if replayed.unplaced:
        path = settings.VAR_DIR / f"unplaced-{name}.jsonl"
        _add(path, replayed.unplaced)
        mark_known(replayed.unplaced)
        tell(f"  {len(replayed.unplaced)} have no place in this backup; see to them: {path}")


def _add(path: Path, entries: list[dict[str, Any]]) -> None:
    """Add entries to a file, each once, however often this is killed."""
    lines = path.read_text().splitlines() if path.exists() else []
    there = {json.loads(line)["key"] for line in lines}
    lines += [json.dumps(entry) for entry in entries if entry["key"] not in there]
    with Folder(path.parent).writing(path.name) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())


def _recompute(tell: Tell) -> None:
    """Compute every study's evaluation from its judgments."""
    for study in Study.objects.order_by("pk"):
        tell(f"computing the rankings of {study}")
        evaluate(study, everything=True)
