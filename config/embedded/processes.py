"""`python -m config.embedded.processes [--demo]`: the web server, Celery's workers and their clock.

Brings the database up to date, starts them, prints `ready` once they answer, and starts again
what dies. INT, TERM or HUP stop them all. Should this process itself be killed, they end by
themselves on Linux; elsewhere they have to be stopped by hand.
"""

import argparse
import fcntl
import http.client
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError

from config.celery import app
from config.embedded import locks
from config.embedded.parts import Make, Part, adopt_orphans, reap, spawn, stop
from config.embedded.server import UnavailableError

LOOK_SECONDS = 0.1
READY_SECONDS = 120.0
STOP_SECONDS = 10.0
LOG_SECONDS = 30.0  # between two looks at how long the logs are
BACKLOG = 2048  # gunicorn's own default
WEB = ["gunicorn", "--config", "config/gunicorn.py", "config.wsgi"]


def worker(queue: str, processes: int, *options: str) -> list[str]:
    """The command of a worker, which knows the tasks that come by its queue and no others."""
    known = ",".join(settings.TASKS_OF_QUEUES[queue])
    return [
        *("celery", "--app", "config", "worker", "--pool", "prefork"),
        *("--queues", queue, "--include", known, "--concurrency", f"{processes}", *options),
    ]


EVALUATION = worker("celery", 2)
EXPIRY = worker("expiry", 2, "--hostname", "expiry@%h")
CHORES = worker("chores", 1, "--hostname", "chores@%h")
IMPORTS = worker("imports", 1, "--hostname", "imports@%h")
POLITE = ["nice", "-n", "10"]  # pages come before imports
CLOCK = ["celery", "--app", "config", "beat", "--pidfile="]
QUIET = ["--loglevel", "WARNING"]
ALONE = ["--without-gossip", "--without-mingle", "--without-heartbeat"]  # no other worker to meet


class FailedError(Exception):
    """It cannot go on; the message says why."""


class StoppedError(Exception):
    """A signal asks to stop."""


class Supervisor:
    """Starts the parts, keeps them running, and stops them."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.stopping = False
        self.make = Make()
        adopt_orphans()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop_soon)

    def _stop_soon(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def look(self) -> None:
        """Wait a moment and start again what has died; StoppedError if asked to stop."""
        time.sleep(LOOK_SECONDS)
        if self.stopping or self.make.wants_to_stop():
            raise StoppedError
        for part in self.parts:
            if part.start_again():
                tell(f"{part.name} had ended and was started again: {part.log}")

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end, and give what it printed."""
        with tempfile.TemporaryFile("w+") as output:
            process = spawn(
                [sys.executable, "manage.py", *arguments, "--skip-checks"], stdout=output
            )
            try:
                while process.poll() is None:
                    self.look()
            finally:
                stop([process], STOP_SECONDS)
            if process.returncode:
                raise FailedError(f"manage.py {arguments[0]} ended with {process.returncode}.")
            output.seek(0)
            return output.read()

    def start(self, listener: socket.socket) -> None:
        """Start the parts. The web server gets the open port, so that it never is without one."""
        logs = settings.VAR_DIR / "log"
        logs.mkdir(parents=True, exist_ok=True)
        tell(f"logs: {logs}")
        tell(
            f"listening on {settings.HOST}; for other machines set HOST, and put a proxy before it"
        )
        bind = ["--bind", f"fd://{listener.fileno()}"]
        python = [sys.executable, "-m"]
        for name, command, descriptors in (
            ("web", [*python, *WEB, *bind], [listener.fileno()]),
            ("worker", [*python, *EVALUATION, *ALONE, *QUIET], []),
            ("expiry", [*python, *EXPIRY, *ALONE, *QUIET], []),
            ("chores", [*python, *CHORES, *ALONE, *QUIET], []),
            ("imports", [*POLITE, *python, *IMPORTS, *ALONE, *QUIET], []),
            ("clock", [*python, *CLOCK, *QUIET], []),
        ):
            self.parts.append(Part(name, command, logs / f"{name}.log", descriptors))

    def wait_until_ready(self) -> None:
        """Wait until the web server and the workers answer."""
        deadline = time.monotonic() + READY_SECONDS
        while not (web_answers() and len(app.control.ping(timeout=1.0, limit=4) or ()) == 4):
            if time.monotonic() > deadline:
                raise FailedError(f"No answer in {READY_SECONDS:.0f} s: see the logs.")
            self.look()

    def watch(self) -> None:
        """Look after the parts and their logs until asked to stop."""
        rotated = time.monotonic()
        while True:
            self.look()
            reap(self.parts)
            if time.monotonic() - rotated > LOG_SECONDS:
                rotated = time.monotonic()
                for part in self.parts:
                    part.rotate_log()

    def stop(self) -> None:
        """Stop the parts."""
        stop([part.process for part in reversed(self.parts)], STOP_SECONDS)


def tell(message: str) -> None:
    """A line for people: standard output has only the lines that the caller waits for.

    It may go to a file, whose disk is full.
    """
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)  # noqa: T201


def announce(*lines: str) -> None:
    """The lines that the caller waits for."""
    print(*lines, sep="\n", flush=True)  # noqa: T201


@contextmanager
def listening() -> Iterator[socket.socket]:
    """The open port."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.HOST, settings.PORT))
            listener.listen(BACKLOG)
        except OSError as error:
            raise FailedError(
                f"Cannot serve on port {settings.PORT}: {error.strerror}. "
                "Choose another with PORT=, as in `make run PORT=8001`."
            ) from error
        yield listener


@contextmanager
def only_one() -> Iterator[None]:
    """At most one supervisor on a VAR_DIR: two clocks would give every task twice."""
    try:
        with locks.exclusive(settings.VAR_DIR / "locks" / "processes", fcntl.LOCK_NB):
            yield
    except BlockingIOError:
        raise FailedError(
            f"It is running already on {settings.VAR_DIR}. Choose another folder with VAR_DIR=."
        ) from None


def connect() -> None:
    """Reach PostgreSQL and Redis once.

    This process does not talk to the embedded ones afterwards, but keeps them from stopping
    while the parts come and go.
    """
    try:
        connection.ensure_connection()
        connection.close()
    except DatabaseError as error:
        raise FailedError(f"Cannot reach the database (DATABASE_URL): {error}") from error
    try:
        with app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1)
    except OperationalError as error:
        raise FailedError(f"Cannot reach Redis (REDIS_URL): {error}") from error


def web_answers() -> bool:
    """Whether the web server answers, and not with an error of its own."""
    client = http.client.HTTPConnection("127.0.0.1", settings.PORT, timeout=2)
    try:
        client.request("GET", "/", headers={"Host": "localhost"})
        return client.getresponse().status < http.client.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        client.close()


def addresses(demo: str) -> list[str]:
    """What is printed before `ready`; `demo` is the JSON line of `manage.py load_demo`, if any."""
    here = f"http://localhost:{settings.PORT}"
    if not demo:
        return [f"url: {here}/"]
    loaded = json.loads(demo.splitlines()[-1])
    return [
        f"worker: {here}/study/{loaded['study']}/",
        f"results: {here}/studies/{loaded['study']}/",
        f"login: {loaded['username']} {loaded['password']}",
    ]


def run(supervisor: Supervisor, demo: bool) -> None:
    """From nothing to `ready`, and on until a signal."""
    with listening() as listener, only_one():
        try:
            connect()
            supervisor.manage("migrate", "--no-input", "--verbosity", "0")
            lines = addresses(supervisor.manage("load_demo") if demo else "")
            supervisor.start(listener)
            supervisor.wait_until_ready()
            announce(*lines, "ready")
            supervisor.watch()
        finally:
            listener.close()
            supervisor.stop()


def main() -> int:
    """The exit status: 0 when stopped by a signal."""
    parser = argparse.ArgumentParser(prog="python -m config.embedded.processes")
    parser.add_argument("--demo", action="store_true", help="load the demo collection first")
    options = parser.parse_args()
    try:
        run(Supervisor(), options.demo)
    except StoppedError:
        return 0
    except (FailedError, UnavailableError, PermissionError) as error:
        tell(str(error))
    return 1


if __name__ == "__main__":
    sys.exit(main())
