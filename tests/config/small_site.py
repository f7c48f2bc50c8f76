"""A site without a database, for tests of the web server: it counts, waits and pours."""

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path

from config.settings import *  # noqa: F403
from config.settings import BASE_DIR, TEMPLATES

ROOT_URLCONF = __name__
INSTALLED_APPS = ["django.contrib.staticfiles"]
TEMPLATES = [{"BACKEND": TEMPLATES[0]["BACKEND"], "DIRS": [BASE_DIR / "templates"]}]
MIDDLEWARE = [
    "web.probes.probes_middleware",
    "web.proxies.proxies_middleware",
    "web.limits.limits_middleware",
]
REST_FRAMEWORK: dict[str, list[str]] = {"DEFAULT_AUTHENTICATION_CLASSES": []}  # nobody logs in
BODY_LIMITS = {"/": 1000, "/large/": 100_000}
ANONYMOUS_BODY_LIMIT = 2000
SESSION_COOKIE_NAME = "sessionid"
HEADER_SECONDS = BODY_SECONDS = 2
BODY_BYTES = 20
ANSWER_SECONDS = 2
TRUSTED_PROXIES = []
POURED = 64 * 1024 * 1024


def count(request: HttpRequest) -> HttpResponse:
    """How long the body is, and the scheme."""
    return HttpResponse(f"{len(request.body)} {request.headers.get('X-Forwarded-Proto')}")


def wait(request: HttpRequest) -> HttpResponse:
    """An answer that is a second in the making."""
    logging.warning("waits")
    time.sleep(1)
    return HttpResponse("waited")


def wait_at_the_gate(request: HttpRequest) -> HttpResponse:
    """An answer that waits until there is a file."""
    logging.warning("stands at the gate")
    while not Path(os.environ["GATE"]).exists():
        time.sleep(0.05)
    return HttpResponse("let through")


def pour(request: HttpRequest) -> StreamingHttpResponse:
    """More than the server keeps of an answer that nobody reads."""

    def pieces() -> Iterator[bytes]:
        for _ in range(POURED // 65_536):
            yield bytes(65_536)

    return StreamingHttpResponse(pieces())


urlpatterns = [
    path("", count),
    path("large/", count),
    path("wait/", wait),
    path("wait/at-the-gate/", wait_at_the_gate),
    path("pour/", pour),
    path("status", count),
    path("metrics", wait_at_the_gate),
]
