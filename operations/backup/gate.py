"""The database is shut while it is restored, so that nobody judges on half of it.

A schema, created before the first table is filled, marks it as shut. Every process checks each new
connection, and is refused as if the database did not answer; only `restore` passes.
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
    CREATE TABLE IF NOT EXISTS restoring.backup (name text PRIMARY KEY, is_filled bool NOT NULL)
"""
STATE = "SELECT name, is_filled FROM restoring.backup"
OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'
    AND pid <> pg_backend_pid()
"""
_passing = False


@contextmanager
def passing() -> Iterator[None]:
    global _passing
    _passing = True
    connection.close()  # an earlier one has been let in already, or refused
    try:
        yield
    finally:
        _passing = False


def refuse_while_shut(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if _passing or connection.alias != "default" or connection.vendor != "postgresql":
        return
    if _row(connection, IS_SHUT)[0]:
        connection.close()
        raise OperationalError("The database is being restored from a backup: not open yet.")


def _row(connection: BaseDatabaseWrapper, query: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()


def shut() -> None:
    with connection.cursor() as cursor:
        cursor.execute(SHUT)


def others() -> int:
    """How many other connections there are, from before the gate was shut."""
    return _row(connection, OTHERS)[0]


def state() -> tuple[str, bool] | None:
    """The backup being restored, and whether the tables are filled; None: the gate is open."""
    return _row(connection, STATE) if _row(connection, IS_SHUT)[0] else None


def save_state(name: str, *, is_filled: bool) -> None:
    """In one transaction: a killed process leaves this state or the one before."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM restoring.backup")
        cursor.execute("INSERT INTO restoring.backup VALUES (%s, %s)", [name, is_filled])


def open_up() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA restoring CASCADE")
