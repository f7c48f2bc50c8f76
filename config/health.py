"""`python -m config.health PART`: exit 0 if that part (see PARTS) is at work."""

import http.client
import os
import socket
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import partial

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from django.conf import settings

from config.celery import app


def web() -> bool:
    """The web server of this container answers, and reaches the database."""
    # Not urllib, which would ask the proxy that a container may have been given for its ways out.
    connection = http.client.HTTPConnection("127.0.0.1", settings.PORT, timeout=4)
    connection.request("GET", "/readyz")
    return connection.getresponse().status == http.client.OK


def answers(worker: str) -> bool:
    """The Celery worker of this container answers, by the name that it has beside the host's."""
    return bool(app.control.ping([f"{worker}@{socket.gethostname()}"], timeout=5))


def beat() -> bool:
    """Ticks are being sent, and done."""
    django.setup()  # takes longest: the others, which are asked as often, do without
    from judging.models import Tick  # once the applications are loaded
    from judging.monitoring.glance.machine import LATE
    from web import clock

    late = clock.now() - timedelta(seconds=LATE)
    return Tick.objects.filter(name=Tick.EXPIRY, ran_at__gt=late).exists()


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
