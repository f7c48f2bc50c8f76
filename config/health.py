"""`python -m config.health PART`: exit 0 if that part (see PARTS) works."""

import http.client
import os
import socket
import sys
from collections.abc import Callable
from functools import partial

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from django.conf import settings

from config.celery import app


def web() -> bool:
    """Whether the web server of this container is ready."""
    # Not urllib, which would use the proxy of a container for outgoing requests.
    connection = http.client.HTTPConnection("127.0.0.1", settings.PORT, timeout=4)
    connection.request("GET", "/readyz")
    return connection.getresponse().status == http.client.OK


def answers(worker: str) -> bool:
    """Whether the Celery worker of this name answers on this host."""
    return bool(app.control.ping([f"{worker}@{socket.gethostname()}"], timeout=5))


def beat() -> bool:
    """Whether ticks are sent and run."""
    django.setup()  # slow, so the other checks do without
    from operations.health.parts.background import expiry  # once the apps are loaded
    from web.findings import State

    return expiry().state == State.OK


PARTS: dict[str, Callable[[], bool]] = {
    "web": web,
    "worker": partial(answers, "celery"),
    "expiry": partial(answers, "expiry"),
    "chores": partial(answers, "chores"),
    "imports": partial(answers, "imports"),
    "beat": beat,
}

if __name__ == "__main__":
    sys.exit(not PARTS[sys.argv[1]]())
