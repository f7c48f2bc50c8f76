"""Whatever waits for a PostgreSQL that stands still comes back."""

import io
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from threading import Timer
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from tests.factory import make_study
from web.snapshots import snapshot

SHORT = 0.2  # seconds for an answer, once PostgreSQL stands still
LONG = 30.0  # seconds after which it goes on, so that who waits without end fails
# What asks PostgreSQL: fetches of a cursor that is there, and statements of one that is not.
FETCHES: dict[str, Callable[[Any], object]] = {
    "one row": lambda cursor: cursor.fetchone(),
    "some rows": lambda cursor: cursor.fetchmany(2),
    "all rows": lambda cursor: cursor.fetchall(),
    "a row by itself": next,
    "no more rows": lambda cursor: cursor.close(),
}
STATEMENTS: dict[str, Callable[[Any], object]] = {
    "one": lambda cursor: cursor.execute("SELECT 1"),
    "many": lambda cursor: cursor.executemany("SELECT %s", [[1], [2]]),
    "rows copied in": lambda cursor: cursor.copy_expert("COPY t FROM STDIN", io.StringIO("1\n")),
    "rows copied out": lambda cursor: cursor.copy_expert("COPY t TO STDOUT", io.StringIO()),
}


@pytest.fixture(autouse=True)
def _checked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.deadlines.LOOK_SECONDS", 0.05)


@pytest.fixture
def other(db: None) -> Iterator[BaseDatabaseWrapper]:
    """A session beside that of the test, so that no tables have to be emptied afterwards."""
    with closing(connection.copy()) as session:
        session.ensure_connection()
        yield session


@contextmanager
def standing_still(session: BaseDatabaseWrapper) -> Iterator[None]:
    """PostgreSQL's process for a session, from which nothing comes any more."""
    process = session.connection.info.backend_pid
    session.connection.seconds = SHORT
    goes_on = Timer(LONG, os.kill, (process, signal.SIGCONT))
    os.kill(process, signal.SIGSTOP)
    goes_on.start()
    try:
        with (
            pytest.raises(OperationalError, match="server closed"),
            session.wrap_database_errors,
        ):
            yield
    finally:
        goes_on.cancel()
        os.kill(process, signal.SIGCONT)
        session.close()


@pytest.mark.parametrize("asked", FETCHES)
def test_a_fetch_has_its_time(other: BaseDatabaseWrapper, asked: str) -> None:
    other.set_autocommit(False)
    rows = other.connection.cursor("rows")
    rows.itersize = 2
    rows.execute("SELECT generate_series(1, 9)")
    assert rows.fetchone() == (1,)
    with standing_still(other):
        FETCHES[asked](rows)


@pytest.mark.parametrize("asked", STATEMENTS)
def test_a_statement_has_its_time(other: BaseDatabaseWrapper, asked: str) -> None:
    with other.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE t (n integer)")
        with standing_still(other):
            STATEMENTS[asked](cursor)


@pytest.mark.django_db(transaction=True)
def test_whoever_reads_an_archive_does_not_wait_for_ever() -> None:
    """Rows are fetched a few at a time, from a cursor that stays on the server meanwhile."""
    documents = make_study().collection.documents.all()
    with suppress(OperationalError), snapshot():
        rows = documents.iterator(2)
        next(rows)
        with standing_still(connection):  # type: ignore[arg-type]
            list(rows)
    assert documents.count() == 14
