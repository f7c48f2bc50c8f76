"""Connections to PostgreSQL on which nobody waits for ever.

PostgreSQL itself ends what takes too long (`statement_timeout`), but not when it stands still: then
libpq waits for an answer without end. A thread looks every second at what is being waited for, and
shuts the sockets on which an answer has been due for too long. Whoever waits there gets
psycopg2.OperationalError, as if the server had gone.

All that one request waits for PostgreSQL counts together (`request_middleware`): else one that has
waited in vain on a connection that was kept would wait again for a new one, and for the error's
page.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from psycopg2 import OperationalError, extensions  # type: ignore[import-untyped]

# Seconds that each process may wait for PostgreSQL: who asks for a page waits less than a command.
# `answer` is for a server that stands still: a request waits for no longer, but for a `connect`
# that it began before. `start` is for the embedded one to be up again. While `migrate` waits for a
# lock on a table, everybody else waits behind it.
SECONDS_OF: Mapping[str, Mapping[str, float]] = {
    "web": {
        "connect": 2,
        "lock": 5,
        "statement": 15,
        "idle in a transaction": 30,
        "answer": 16,
        "start": 3,
    },
    "tasks and commands": {
        "connect": 10,
        "lock": 300,
        "statement": 3600,
        "idle in a transaction": 3600,
        "answer": 3900,
        "start": 60,
    },
    "migrate": {
        "connect": 10,
        "lock": 2,
        "statement": 3600,
        "idle in a transaction": 3600,
        "answer": 3900,
        "start": 60,
    },
}
LOOK_SECONDS = 1.0

_guard = threading.Lock()
_due: dict[int, tuple[float, int]] = {}  # by connection: when its answer is due, and its socket
_watching = False


class _Waiting(threading.local):
    """What this thread may still wait for PostgreSQL, in seconds; without end between requests."""

    left = inf


_waiting = _Waiting()


def request_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Give each request `answer` seconds for all its waiting; what it streams later has its own."""

    def middleware(request: HttpRequest) -> HttpResponse:
        _waiting.left = settings.DATABASE_SECONDS["answer"]
        try:
            return get_response(request)
        finally:
            _waiting.left = inf

    return middleware


def insist_on_time() -> None:
    """Refuse to connect, and the like, for a request that has waited for long enough."""
    if _waiting.left <= 0:
        raise OperationalError("This request has waited for PostgreSQL for long enough.")


@contextmanager
def _counted() -> Iterator[None]:
    """Whatever this takes the request has waited."""
    began = time.monotonic()
    try:
        yield
    finally:
        _waiting.left -= time.monotonic() - began


class Cursor(extensions.cursor):
    """A cursor whose statements have a time each, and each fetch where the rows are on the server.

    What is executed many times, and rows that are copied, have it all together.
    """

    def execute(self, *arguments: Any) -> None:
        """Execute a statement."""
        self.connection.timed(super().execute, *arguments)

    def executemany(self, *arguments: Any) -> None:
        """Execute a statement many times."""
        self.connection.timed(super().executemany, *arguments)

    def copy_expert(self, *arguments: Any) -> None:
        """Copy rows in or out."""
        self.connection.timed(super().copy_expert, *arguments)

    def fetchone(self) -> Any:
        """The next row, None after the last."""
        return self._fetched(super().fetchone)

    def fetchmany(self, *arguments: Any) -> Any:
        """Some rows."""
        return self._fetched(super().fetchmany, *arguments)

    def fetchall(self) -> Any:
        """All rows that are left."""
        return self._fetched(super().fetchall)

    def __next__(self) -> Any:
        return self._fetched(super().__next__)

    def close(self) -> None:
        """Let go of the rows."""
        self._fetched(super().close)

    def _fetched(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call what asks PostgreSQL only where the cursor is there, and else has the rows here."""
        if self.name is None:
            return call(*arguments)
        return self.connection.timed(call, *arguments)


class Connection(extensions.connection):
    """A connection on which whatever waits for PostgreSQL has a time."""

    seconds: float

    def __init__(self, *arguments: Any, **named: Any) -> None:
        insist_on_time()
        with _counted():
            super().__init__(*arguments, **named)

    def cursor(self, *arguments: Any, withhold: bool = False, **named: Any) -> Any:
        """A cursor, on the server only within a transaction: beyond, it would hold a session.

        A pooler of connections may give each transaction another session.
        """
        if withhold:
            return super().cursor()
        return super().cursor(*arguments, **named)

    def commit(self) -> None:
        """Commit."""
        self.timed(super().commit)

    def rollback(self) -> None:
        """Roll back."""
        self.timed(super().rollback)

    def timed(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call what waits for PostgreSQL, for `seconds` at most, or what the request has left."""
        if self.closed:
            return call(*arguments)
        seconds = min(self.seconds, _waiting.left)
        with _guard:
            _watch()
            _due[id(self)] = time.monotonic() + seconds, self.fileno()
        try:
            with _counted():
                return call(*arguments)
        finally:
            with _guard:
                _due.pop(id(self), None)


def limits(seconds: Mapping[str, float]) -> dict[str, int]:
    """PostgreSQL's own limits by the names of its settings, in milliseconds."""
    kinds = {
        "lock_timeout": "lock",
        "statement_timeout": "statement",
        "idle_in_transaction_session_timeout": "idle in a transaction",
    }
    return {name: round(1000 * seconds[kind]) for name, kind in kinds.items()}


def database_options(seconds: Mapping[str, float]) -> dict[str, Any]:
    """The OPTIONS of an entry in DATABASES: how long, in seconds, each kind of waiting may take.

    The kinds are those of SECONDS_OF.
    """
    return {
        "connect_timeout": seconds["connect"],
        "options": " ".join(f"-c {name}={most}" for name, most in limits(seconds).items()),
        "connection_factory": type("Connection", (Connection,), {"seconds": seconds["answer"]}),
        "cursor_factory": Cursor,
        # Over a network: a server whose machine has gone is noticed after a minute.
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
    }


def _watch() -> None:
    """Have a thread look, from now on."""
    global _watching
    if not _watching:
        threading.Thread(target=_look_for_ever, name="deadlines", daemon=True).start()
        _watching = True


def _look_for_ever() -> None:
    while True:
        time.sleep(LOOK_SECONDS)
        now = time.monotonic()
        with _guard:  # so that no socket is closed, and its number given to another, meanwhile
            for due, descriptor in _due.values():
                if due < now:
                    with socket.socket(fileno=os.dup(descriptor)) as waiting:
                        waiting.shutdown(socket.SHUT_RDWR)


def _after_fork() -> None:
    """A child has neither the thread nor the statements."""
    global _guard, _watching
    _guard = threading.Lock()
    _watching = False
    _due.clear()


os.register_at_fork(after_in_child=_after_fork)
