"""The database is shut while it is restored: nobody judges on what is not whole yet.

A schema of its own says so, which is there before the first table is filled. Every process asks on
each new connection, and is refused as by a database that does not answer; only `restore` passes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

SCHEMA = "restoring"
IS_SHUT = "SELECT to_regclass('restoring.backup') IS NOT NULL"
SHUT = """
    CREATE SCHEMA IF NOT EXISTS restoring;
    CREATE TABLE IF NOT EXISTS restoring.backup (name text PRIMARY KEY, step text NOT NULL)
"""
OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'
    AND pid <> pg_backend_pid()
"""
_passing = False


@contextmanager
def passing() -> Iterator[None]:
    """Within, this process gets through the gate."""
    global _passing
    _passing = True
    try:
        yield
    finally:
        _passing = False


def refuse_while_shut(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Refuse a new connection while the database is restored."""
    if _passing or connection.alias != "default" or connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(IS_SHUT)
        shut = cursor.fetchone()[0]
    if shut:
        connection.close()
        raise OperationalError("The database is being restored from a backup: not open yet.")


def shut() -> None:
    """Shut the database, if it is not."""
    with connection.cursor() as cursor:
        cursor.execute(SHUT)


def others() -> int:
    """How many others are connected: they came before the gate was shut."""
    with connection.cursor() as cursor:
        cursor.execute(OTHERS)
        return cursor.fetchone()[0]


def state() -> tuple[str, str] | None:
    """Which backup is being restored, and which step of it is done; None: the gate is open."""
    with connection.cursor() as cursor:
        cursor.execute(IS_SHUT)
        if not cursor.fetchone()[0]:
            return None
        cursor.execute("SELECT name, step FROM restoring.backup")
        return cursor.fetchone()


def note(name: str, step: str) -> None:
    """Write down which step is done: at every moment there is one, or none yet."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM restoring.backup")
        cursor.execute("INSERT INTO restoring.backup VALUES (%s, %s)", [name, step])


def open_up() -> None:
    """Let everybody in."""
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA restoring CASCADE")
