"""`python -m config.health web|worker|expiry|imports|beat`: exit 0 if that part is at work."""

import http.client
import os
import socket
import sys
from collections.abc import Callable
from datetime import timedelta

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


def worker() -> bool:
    """The Celery worker of this container answers."""
    return bool(app.control.ping([f"celery@{socket.gethostname()}"], timeout=5))


def expiry() -> bool:
    """The Celery worker of this container that ends what is overdue answers."""
    return bool(app.control.ping([f"expiry@{socket.gethostname()}"], timeout=5))


def imports() -> bool:
    """The Celery worker of this container that imports files answers."""
    return bool(app.control.ping([f"imports@{socket.gethostname()}"], timeout=5))


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
    "worker": worker,
    "expiry": expiry,
    "imports": imports,
    "beat": beat,
}

if __name__ == "__main__":
    sys.exit(not PARTS[sys.argv[1]]())
