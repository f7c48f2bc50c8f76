"""What happens before the site runs: the port is tried, the database is brought up to date."""

import http.client
import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError

from config import health
from config.celery import app
from embedded import sharing
from embedded.server import UnavailableError
from embedded.tied import end_with_parent


def python(*arguments: str) -> dict[str, Any]:
    """How Python is run: in a session of its own, as Ctrl-C is for the first process alone."""
    given = {"PYTHON": sys.executable, "VAR_DIR": str(settings.VAR_DIR)}
    return {
        "args": [sys.executable, *arguments],
        "cwd": Path(__file__).resolve().parents[1],
        "env": os.environ | given,
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "start_new_session": True,
        "preexec_fn": end_with_parent,  # safe: there is only one thread
    }


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
        f"results: {here}/studies/{loaded['study']}/",
        f"login: {loaded['username']} {loaded['password']}",
    ]


def is_ready() -> bool:
    with suppress(OSError, http.client.HTTPException, OperationalError):
        return health.web() and all(map(health.responds, settings.TASKS_OF_QUEUES))
    return False
