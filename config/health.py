"""`python -m config.health PART`: exit 0 if that part, web or a worker, works."""

import http.client
import os
import socket
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from django.conf import settings

from config.background import IO
from config.celery import app


def web() -> bool:
    # Not urllib, which would use the proxy of a container for outgoing requests.
    connection = http.client.HTTPConnection("127.0.0.1", settings.PORT, timeout=4)
    connection.request("GET", "/readyz")
    return connection.getresponse().status == http.client.OK


def responds(queue: str, timeout: float = 5) -> bool:
    return bool(app.control.ping([f"{queue}@{socket.gethostname()}"], timeout=timeout))


def ticks() -> bool:
    django.setup()  # slow, so the other checks do without
    from operations.health.background import expiry  # once the apps are loaded
    from web.findings import State

    return expiry().state == State.OK


if __name__ == "__main__":
    part = sys.argv[1]
    works = web() if part == "web" else responds(part) and (part != IO or ticks())
    sys.exit(not works)
