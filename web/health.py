import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pkgutil import iter_modules

from django.apps import apps
from django.db import DatabaseError, ProgrammingError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from psycopg2.errors import UndefinedTable  # type: ignore[import-untyped]

CACHE_SECONDS = 2.0  # for which a result is reused
TIMEOUT = 1.0  # seconds, before a worker would notice
SLOW = "the database does not answer"
# The table of HealthProbe, which cannot be imported: there are no apps yet.
PROBE_TABLE = "web_healthprobe"
PROBE_BYTES = 4100
UNWRITABLE = "the database cannot be written to"
UNMIGRATED = "the database lacks tables of this version: migrate has not come to its end"


class DatabaseCheck:
    """Runs in its own thread, so that nobody has to wait until it ends."""

    def __init__(self) -> None:
        self.started_at = time.monotonic()
        self.done = threading.Event()
        self.fault = SLOW
        threading.Thread(target=self._run, name="health", daemon=True).start()

    def _run(self) -> None:
        try:
            self.fault = _probe()
        finally:
            self.done.set()

    @property
    def is_stale(self) -> bool:
        return self.done.is_set() and time.monotonic() - self.started_at > CACHE_SECONDS

    def result(self) -> str:
        left = self.started_at + TIMEOUT - time.monotonic()
        return self.fault if self.done.wait(max(0.0, left)) else SLOW


_guard = threading.Lock()
_latest: DatabaseCheck | None = None


def database_fault() -> str:
    """Empty if the database can be written to within TIMEOUT."""
    global _latest
    with _guard:
        if _latest is None or _latest.is_stale:
            _latest = DatabaseCheck()
        check = _latest
    return check.result()


def _probe() -> str:
    """On a new connection: an open one may work when no new one can be opened."""
    with closing(connection.copy()) as own:
        try:
            own.ensure_connection()
        except DatabaseError:
            return SLOW
        try:
            own.set_autocommit(False)
            with own.cursor() as cursor:
                # Random bytes of more than half a page cannot be compressed: they need disk space.
                cursor.execute(
                    f"INSERT INTO {PROBE_TABLE} (page) VALUES (%s)",
                    [os.urandom(PROBE_BYTES)],
                )
            own.rollback()
            return "" if _has_all_tables(own) else UNMIGRATED
        except DatabaseError as fault:
            return UNMIGRATED if isinstance(fault.__cause__, UndefinedTable) else UNWRITABLE


_had_all_tables = False  # once true, not checked again


def _has_all_tables(own: BaseDatabaseWrapper) -> bool:
    """Whether all migrations of this version are applied; later ones may be, too."""
    global _had_all_tables
    if not _had_all_tables:
        with own.cursor() as cursor:
            try:
                cursor.execute("SELECT app, name FROM django_migrations")
            except ProgrammingError:  # not even that table
                return False
            _had_all_tables = {*migrations()} <= {*cursor}
    return _had_all_tables


def migrations() -> Iterator[tuple[str, str]]:
    """The apps and names of all migrations of this version. To import them takes 10 MiB."""
    for app in apps.get_app_configs():
        module, _ = MigrationLoader.migrations_module(app.label)
        spec = find_spec(module) if module else None
        for migration in iter_modules(spec.submodule_search_locations if spec else []):
            if not migration.name.startswith(("_", "~")):  # as Django has it
                yield app.label, migration.name
