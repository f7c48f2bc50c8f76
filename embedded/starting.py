"""`python -m embedded.starting [--demo]`: what happens until the site runs.

The port is tried, the database is brought up to date, then lines for whoever started the site are
printed. It ends when the site answers. This is not done by the process that waits for the end of
the site, which would keep the memory.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError

from config import health
from config.celery import app
from embedded import sharing
from embedded.server import UnavailableError
from embedded.tied import python

READY_SECONDS, POLL_SECONDS = 120.0, 0.5


def manage(*arguments: str) -> str:
    """What a management command prints."""
    command = python("manage.py", *arguments, "--skip-checks") | {"stdout": subprocess.PIPE}
    done = subprocess.run(**command, text=True, check=False)
    if done.returncode:
        sys.exit(f"manage.py {arguments[0]} ended with {done.returncode}.")
    return str(done.stdout)


def prepare(*, demo: bool) -> list[str]:
    """Start the servers and bring the database up to date; the lines to print before `ready`."""
    try:
        socket.create_server((settings.HOST, settings.PORT)).close()
    except OSError as error:
        sys.exit(
            f"Cannot serve on port {settings.PORT}: {os.strerror(error.errno or 0)}. "
            "Choose another with PORT=, as in `make run PORT=8001`."
        )
    try:
        sharing.start(settings.EMBEDDED_SERVERS)
        connection.ensure_connection()
        connection.close()
        with app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1)
    except (UnavailableError, PermissionError) as error:
        sys.exit(str(error))
    except DatabaseError as error:
        sys.exit(f"Cannot reach the database (DATABASE_URL): {error}")
    except OperationalError as error:
        sys.exit(f"Cannot reach Redis (REDIS_URL): {error}")
    logs = settings.VAR_DIR / "log"
    logs.mkdir(exist_ok=True)
    print(  # noqa: T201
        f"logs: {logs}",
        f"listening on {settings.HOST}; for other machines set HOST, and put a proxy before it",
        sep="\n",
        file=sys.stderr,
    )
    manage("migrate", "--no-input", "--verbosity", "0")
    here = f"http://localhost:{settings.PORT}"
    if not demo:
        return [f"url: {here}/"]
    loaded = json.loads(manage("load_demo").splitlines()[-1])
    return [
        f"worker: {here}/study/{loaded['study']}/",
        f"results: {here}/studies/{loaded['results']}/",
        f"login: {loaded['username']} {loaded['password']}",
    ]


def is_ready() -> bool:
    with suppress(OSError, http.client.HTTPException, OperationalError):
        queues = settings.TASKS_OF_QUEUES
        return health.web() and all(health.responds(queue, POLL_SECONDS) for queue in queues)
    return False


def wait() -> None:
    began = time.monotonic()
    while not is_ready():
        if time.monotonic() - began > READY_SECONDS:
            sys.exit(f"No answer in {READY_SECONDS:.0f} s: see the logs.")
        time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *details: sys.exit(1))
    print(*prepare(demo="--demo" in sys.argv), sep="\n", flush=True)  # noqa: T201
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so these are all the lines
    wait()
