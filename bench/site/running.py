"""The product as benchmarks run it: its own servers and settings, on a database that is dropped."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from django.conf import settings
from django.db import connection, connections
from django.test import Client

from bench.site import environment  # first of all
from embedded import locks
from embedded.tied import end_with_parent

HOST = "127.0.0.1"
WEB = ["gunicorn", "--config", "config/gunicorn.py", "config.wsgi"]
BACKLOG = 2048  # gunicorn's own default
START_SECONDS = 60.0
STOP_SECONDS = 10.0


@contextmanager
def scratch_database() -> Iterator[None]:
    """An empty database with the product's tables, which is dropped again.

    One at a time on a VAR_DIR: two benchmarks at once would measure each other.
    """
    with locks.exclusive(settings.VAR_DIR / "locks" / "bench"):
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        try:
            yield
        finally:
            connections.close_all()
            connection.creation.destroy_test_db("bench", verbosity=0)


def settle() -> None:
    """What PostgreSQL does by itself a while later, so that it does not do it while we measure."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")


def session(user: Any) -> str:
    """The cookie of somebody who has logged in."""
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def fetch(client: http.client.HTTPConnection, path: str, headers: Mapping[str, str]) -> bytes:
    """A page, to its last byte. Raises RuntimeError where it does not answer 200."""
    client.request("GET", path, headers={"Host": "localhost", **headers})
    answer = client.getresponse()
    body = answer.read()
    if answer.status != http.client.OK:
        raise RuntimeError(f"{path} answers {answer.status}")
    return body


@contextmanager
def _running(name: str, command: Sequence[str], *descriptors: int) -> Iterator[subprocess.Popen]:
    log = settings.VAR_DIR / "log" / f"bench-{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=environment.ROOT,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            pass_fds=descriptors,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def web_server() -> Iterator[int]:
    """The product's web server, on the port that this gives."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        listener.listen(BACKLOG)
        port = listener.getsockname()[1]
        bind = ["--bind", f"fd://{listener.fileno()}"]
        with _running("web", [*WEB, *bind], listener.fileno()) as process:
            _wait_for(process, port)
            yield port


def _wait_for(process: subprocess.Popen, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        client = http.client.HTTPConnection(HOST, port, timeout=5)
        with suppress(OSError, http.client.HTTPException):
            client.request("GET", "/login/")
            client.getresponse()
            return
        time.sleep(0.1)
    raise RuntimeError(f"the web server does not answer: see {settings.VAR_DIR / 'log'}")


@contextmanager
def compute() -> Iterator[None]:
    """The product's Celery worker for what computes."""
    with _running("compute", ["config.worker", "compute"]):
        yield


@contextmanager
def workers() -> Iterator[None]:
    """Both of the product's Celery workers, with its clock."""
    with compute(), _running("io", ["config.worker", "io"]):
        yield
