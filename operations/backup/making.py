"""One backup: what pg_dump says of one moment, and what is said of it."""

import hashlib
import subprocess
import tomllib
from tempfile import TemporaryFile
from typing import Any

import psycopg2  # type: ignore[import-untyped]
from django.conf import settings
from django.db import connection

from judging.models import Tick
from operations.backup import gate, programs, sealing
from operations.backup.expiring import days_for
from operations.backup.faults import BackupFault
from operations.backup.keys import names
from operations.backup.manifests import ENDING, FOLDER, Manifest, name_at
from operations.backup.stores import Store, Writer

# Of these the tables are kept, and not what is in them: nobody is logged in who has logged out.
LEFT_OUT = ("django_session", "cache")
TICK = "backup"  # when the newest was made, so that whoever asks for it need not ask the store
MOMENT = """
    SELECT clock_timestamp(), pg_export_snapshot(), current_setting('server_version_num')::int
"""
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
RETENTION = "SELECT min(retention_days) FROM judging_study"
MIGRATIONS = "SELECT app, name FROM django_migrations ORDER BY id"


class Counted:
    """Passes bytes on, and knows how many there were and their SHA-256."""

    def __init__(self, target: Writer) -> None:
        self.target = target
        self.size = 0
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Pass bytes on."""
        self.target.write(data)
        self.size += len(data)
        self.digest.update(data)
        return len(data)

    def flush(self) -> None:
        """Nothing waits here."""


def make(place: Store) -> Manifest:
    """Make a backup of the database as it is at one moment; returns what is said of it.

    Pages go on meanwhile. Where it fails, or is killed, no backup is there.

    Raises:
        BackupFault: it cannot be made; the message says why.
    """
    keys = sealing.recipients()
    dump = programs.program("pg_dump", programs.server_major())
    held = programs.connect()
    try:
        held.set_session(isolation_level="REPEATABLE READ", readonly=True)
        with held.cursor() as cursor:
            manifest = _write(place, cursor, str(dump), keys)
    except OSError as error:
        raise BackupFault(f"The backup cannot be written: {error}.") from error
    except psycopg2.Error as error:
        raise BackupFault(f"PostgreSQL broke off: {error}.") from error
    finally:
        held.close()
    with place.writing(f"{FOLDER}/{manifest.name}{ENDING}") as target:
        target.write(manifest.written())
    Tick.objects.update_or_create(name=TICK, defaults={"ran_at": manifest.made_at})
    return manifest


def _write(place: Store, cursor: Any, dump: str, keys: list[Any]) -> Manifest:
    """Write the file, while the moment that it is of is held by a transaction."""
    cursor.execute(MOMENT)
    made_at, snapshot, server = cursor.fetchone()
    name = name_at(made_at)
    file = f"{FOLDER}/{name}.dump{sealing.ENDING if keys else ''}"
    with place.writing(file) as target:
        counted = Counted(target)
        _dump([dump, *_options(snapshot)], counted, keys)
        rows = _rows(cursor)
    cursor.execute(MIGRATIONS)
    migrations: dict[str, list[str]] = {}
    for app, migration in cursor.fetchall():
        migrations.setdefault(app, []).append(migration)
    cursor.execute(RETENTION)
    (shortest,) = cursor.fetchone()
    return Manifest(
        name,
        made_at,
        file,
        counted.size,
        counted.digest.hexdigest(),
        bool(keys),
        version(),
        server // programs.HUNDREDS,
        migrations,
        rows,
        names(),
        days_for(shortest),
    )


def _options(snapshot: str) -> list[str]:
    plain = ["--format=custom", "--compress=1", "--no-owner", "--no-acl"]
    left_out = [f"--exclude-table-data={table}" for table in LEFT_OUT]
    return [*plain, f"--snapshot={snapshot}", f"--exclude-schema={gate.SCHEMA}", *left_out]


def _dump(command: list[str], target: Counted, keys: list[Any]) -> None:
    with TemporaryFile() as said:
        process = subprocess.Popen(  # noqa: S603
            command, env=programs.environment(), stdout=subprocess.PIPE, stderr=said
        )
        try:
            sealing.seal(process.stdout, target, keys)
        except BaseException:
            process.kill()
            raise
        finally:
            if process.stdout:
                process.stdout.close()
            status = process.wait()
        if status:
            said.seek(0)
            raise BackupFault(f"pg_dump failed: {said.read().decode(errors='replace').strip()}")


def _rows(cursor: Any) -> dict[str, int]:
    """How many rows each table has, of those that are kept."""
    cursor.execute(TABLES)
    rows = {}
    for (table,) in cursor.fetchall():
        if table not in LEFT_OUT:
            cursor.execute(f'SELECT count(*) FROM "{table}"')
            rows[table] = cursor.fetchone()[0]
    return rows


def rows_now() -> dict[str, int]:
    """How many rows each table has now."""
    with connection.cursor() as cursor:
        return _rows(cursor)


def version() -> str:
    """The version of the code that is running."""
    return tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
