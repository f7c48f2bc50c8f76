import hashlib
from collections import defaultdict
from contextlib import closing
from typing import Any

import psycopg2  # type: ignore[import-untyped]
from django.db import connection

from judging.models import Study, Tick
from operations.backup import encryption, gate, keys, postgres
from operations.backup.manifests import ENDING, FOLDER, Manifest, name_at
from operations.backup.stores import BackupFault, Store
from web.product import VERSION

# Of these the tables are kept, and not what is in them: nobody is logged in who has logged out.
LEFT_OUT = ("django_session", "cache")
TICK = "backup"  # when the newest was made, so that whoever asks for it need not ask the store
OPTIONS = (
    *("--format=custom", "--compress=1", "--no-owner", "--no-acl"),
    f"--exclude-schema={gate.SCHEMA}",
)
MOMENT = """
    SELECT clock_timestamp(), pg_export_snapshot(), current_setting('server_version_num')::int
"""
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
RETENTION = "SELECT min(retention_days) FROM judging_study"
MIGRATIONS = "SELECT app, name FROM django_migrations ORDER BY id"


class Measured:
    """Passes bytes on to a target, if there is one, and measures their number and SHA-256."""

    def __init__(self, target: Any = None) -> None:
        self.target = target
        self.size = 0
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        if self.target:
            self.target.write(data)
        self.size += len(data)
        self.digest.update(data)
        return len(data)

    def flush(self) -> None:
        """Nothing waits here."""


def make_backup(place: Store) -> Manifest:
    """While pages go on. If it fails or is killed, there is no backup."""
    try:
        with closing(postgres.connect()) as snapshot:
            snapshot.set_session(isolation_level="REPEATABLE READ", readonly=True)
            with snapshot.cursor() as cursor:
                manifest = _dump(place, cursor)
    except OSError as error:
        raise BackupFault(f"The backup cannot be written: {error}.") from error
    except psycopg2.Error as error:
        raise BackupFault(f"PostgreSQL broke off: {error}.") from error
    with place.writing(f"{FOLDER}/{manifest.name}{ENDING}") as target:
        target.write(manifest.to_json())
    Tick.objects.update_or_create(name=TICK, defaults={"ran_at": manifest.made_at})
    return manifest


def _dump(place: Store, cursor: Any) -> Manifest:
    """The transaction of `cursor` holds the snapshot."""
    recipients = encryption.recipients()
    cursor.execute(MOMENT)
    made_at, snapshot, server = cursor.fetchone()
    name = name_at(made_at)
    file = f"{FOLDER}/{name}.dump{encryption.ENDING if recipients else ''}"
    options = [*OPTIONS, f"--snapshot={snapshot}"]
    options += [f"--exclude-table-data={table}" for table in LEFT_OUT]
    with place.writing(file) as target:
        measured = Measured(target)
        with postgres.running("pg_dump", server // 10_000, *options) as dump:
            encryption.encrypt(dump.stdout, measured, recipients)
        rows = _rows(cursor)
    migrations = defaultdict(list)
    cursor.execute(MIGRATIONS)
    for app, migration in cursor.fetchall():
        migrations[app].append(migration)
    cursor.execute(RETENTION)
    (shortest,) = cursor.fetchone()
    return Manifest(
        name=name,
        made_at=made_at,
        file=file,
        size=measured.size,
        sha256=measured.digest.hexdigest(),
        encrypted=bool(recipients),
        version=VERSION,
        postgresql=server // 10_000,
        migrations=dict(migrations),
        rows=rows,
        keys=keys.names(),
        days=Study(retention_days=shortest).backup_days,
    )


def _rows(cursor: Any) -> dict[str, int]:
    cursor.execute(TABLES)
    rows = {}
    for (table,) in cursor.fetchall():
        if table not in LEFT_OUT:
            cursor.execute(f'SELECT count(*) FROM "{table}"')
            rows[table] = cursor.fetchone()[0]
    return rows


def rows_now() -> dict[str, int]:
    with connection.cursor() as cursor:
        return _rows(cursor)
