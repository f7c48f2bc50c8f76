"""The embedded PostgreSQL and Valkey, for where DATABASE_URL and REDIS_URL are unset.

The first connection to PostgreSQL starts them. Every process that connects holds a shared lock in
VAR_DIR for as long as it lives, and the last one to leave stops the servers. A process that is
killed stops nothing: the next one finds the servers running, and stops them when it is the last.
"""

import atexit
import fcntl
import hashlib
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg2  # type: ignore[import-untyped]
from psycopg2 import extensions

from embedded import locks
from embedded.account import Account
from embedded.postgres import DATABASE, PORT, USER, Postgres
from embedded.server import POLL_SECONDS, Server, UnavailableError
from embedded.valkey import Valkey

SOCKET_PATH_LIMIT = 103  # bytes: what macOS allows; Linux allows 107
START_SECONDS = 60.0
LONGEST_SOCKET_NAME = f"/.s.PGSQL.{PORT}"

_held: dict[Path, int] = {}
_guard = threading.Lock()


def database(var_dir: Path) -> dict[str, Any]:
    """The entry in DATABASES. Starts nothing."""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": DATABASE,
        "USER": USER,
        "HOST": str(socket_folder(var_dir)),
        "PORT": str(PORT),
    }


def redis_url(var_dir: Path) -> str:
    """The broker's address. Starts nothing."""
    return f"redis+socket://{Valkey(var_dir, socket_folder(var_dir)).socket}"


def servers(var_dir: Path, *, postgres: bool = True, valkey: bool = True) -> list[Server]:
    """Those that are wanted. Starts nothing."""
    sockets = socket_folder(var_dir)
    return [*[Postgres(var_dir, sockets)] * postgres, *[Valkey(var_dir, sockets)] * valkey]


def starting(servers: Sequence[Server], seconds: float) -> Callable[[str], Any]:
    """A connection_factory for psycopg2: the first connection starts the servers.

    So does one that fails. A server that cannot be had is psycopg2.OperationalError.
    """

    def connection_factory(dsn: str) -> Any:
        try:
            if servers[0].var_dir not in _held:
                start(servers, seconds)
        except (UnavailableError, OSError) as fault:  # the disk of its locks may be read-only
            raise psycopg2.OperationalError(str(fault)) from fault
        try:
            return extensions.connection(dsn)
        except psycopg2.OperationalError:
            with suppress(UnavailableError, OSError):
                start(servers, seconds)
            return extensions.connection(dsn)

    return connection_factory


def start(servers: Iterable[Server], seconds: float = START_SECONDS) -> None:
    """Start those that do not answer; UnavailableError where one takes longer than that."""
    for server in servers:
        hold(server.var_dir)
        _ensure(server, seconds)


def _ensure(server: Server, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            with locks.exclusive(server.var_dir / "locks" / f"start-{server.name}", fcntl.LOCK_NB):
                return server.ensure(max(0.0, deadline - time.monotonic()))
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise UnavailableError(f"{server.name} is being started by another.") from None
            time.sleep(POLL_SECONDS)


def socket_folder(var_dir: Path) -> Path:
    """Where the sockets are: in VAR_DIR, or, if that is too long a path for one, under /tmp.

    Always the same place for the same VAR_DIR, hence not in TMPDIR, which differs between
    processes. A path that would need quoting somewhere on its way is too long as well.
    """
    folder = var_dir / "run"
    length = len(os.fsencode(f"{folder}{LONGEST_SOCKET_NAME}"))
    if length <= SOCKET_PATH_LIMIT and re.fullmatch(r"[\w./+-]+", str(folder), re.ASCII):
        return folder
    identity = f"{Account.serving(var_dir).uid}:{var_dir}"
    digest = hashlib.sha256(os.fsencode(identity)).hexdigest()[:16]
    return Path("/tmp") / f"magnitudes-{digest}"  # noqa: S108 - its owner and mode are checked


def hold(var_dir: Path) -> None:
    """Count this process among those that use the servers, until it ends."""
    with _guard:
        if var_dir in _held:
            return
        # Waits while the last one out is stopping the servers.
        lock = locks.acquire(var_dir / "locks" / "in-use", fcntl.LOCK_SH)
        try:
            # Before each connection, for a client must not trust another's folder either.
            Account.serving(var_dir).own_folder(socket_folder(var_dir))
        except BaseException:
            locks.release(lock)
            raise
        _held[var_dir] = lock


def _leave() -> None:
    """Stop the servers that no other process uses."""
    if _held:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient Ctrl-C must not leave them
    while _held:
        var_dir, lock = _held.popitem()
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _stop(var_dir)
        locks.release(lock)


def _stop(var_dir: Path) -> None:
    folder = socket_folder(var_dir)
    for server in (Valkey(var_dir, folder), Postgres(var_dir, folder)):
        server.stop()
    with suppress(OSError):
        folder.rmdir()


def _after_fork() -> None:
    """A child is counted for itself, once it connects."""
    global _guard
    _guard = threading.Lock()  # another thread of the parent's may have held it
    _held.clear()


atexit.register(_leave)
os.register_at_fork(after_in_child=_after_fork)
