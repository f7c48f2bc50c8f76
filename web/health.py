"""Whether the database does its work: for whoever watches the site."""

import os
import threading
import time
from contextlib import closing

from django.db import DatabaseError, ProgrammingError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from psycopg2.errors import UndefinedTable  # type: ignore[import-untyped]

KEPT_SECONDS = 2.0  # that an answer serves: whoever asks more often costs nothing
PATIENCE = 1.0  # seconds that the database may take, before a worker would notice
SLOW = "the database does not answer"
PROBES = "web_healthprobe"  # the table of HealthProbe: this is loaded before there are apps
PROBE_BYTES = 4100
UNWRITABLE = "the database cannot be written to"
OLD = "the database lacks tables of this version: migrate has not come to its end"


class Question:
    """One asking, by a thread of its own: whoever waits for it need not wait to its end."""

    def __init__(self) -> None:
        self.asked_at = time.monotonic()
        self.answered = threading.Event()
        self.fault = SLOW
        threading.Thread(target=self._ask, name="health", daemon=True).start()

    def _ask(self) -> None:
        try:
            self.fault = _fault()
        finally:
            self.answered.set()

    @property
    def is_old(self) -> bool:
        return self.answered.is_set() and time.monotonic() - self.asked_at > KEPT_SECONDS

    def answer(self) -> str:
        """What is wrong; one who asks when it should have been answered long ago waits no more."""
        left = self.asked_at + PATIENCE - time.monotonic()
        return self.fault if self.answered.wait(max(0.0, left)) else SLOW


_guard = threading.Lock()
_latest: Question | None = None


def complaint() -> str:
    """What is wrong with the database; empty if it can be reached and written to within 1 s."""
    global _latest
    with _guard:
        if _latest is None or _latest.is_old:
            _latest = Question()
        question = _latest
    return question.answer()


def _fault() -> str:
    """Ask on a new connection: that an open one works does not mean that a new one would."""
    with closing(connection.copy()) as own:
        try:
            own.ensure_connection()
        except DatabaseError:
            return SLOW
        try:
            own.set_autocommit(False)
            with own.cursor() as cursor:
                # Random bytes of more than half a page are not packed: they take room on the disk.
                cursor.execute(
                    f"INSERT INTO {PROBES} (page) VALUES (%s)",
                    [os.urandom(PROBE_BYTES)],
                )
            own.rollback()
            return "" if _has_all_tables(own) else OLD
        except DatabaseError as fault:
            return OLD if isinstance(fault.__cause__, UndefinedTable) else UNWRITABLE


_had_all_tables = False  # and so it has them for as long as this process lives


def _has_all_tables(own: BaseDatabaseWrapper) -> bool:
    """Whether every migration that this process knows was applied; later ones may have been."""
    global _had_all_tables
    if not _had_all_tables:
        with own.cursor() as cursor:
            try:
                cursor.execute("SELECT app, name FROM django_migrations")
            except ProgrammingError:  # not even that table
                return False
            _had_all_tables = MigrationLoader(None).disk_migrations.keys() <= set(cursor)
    return _had_all_tables
