"""A site without a database, for tests of the web server: it counts and waits."""

import logging
import os
import time
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.urls import path

from config.settings import *  # noqa: F403
from config.settings import BASE_DIR, TEMPLATES

ROOT_URLCONF = __name__
DATABASES = {  # refuses at once
    "default": {"ENGINE": "django.db.backends.postgresql", "HOST": "localhost", "PORT": "1"}
}
INSTALLED_APPS = ["django.contrib.staticfiles"]
TEMPLATES = [{"BACKEND": TEMPLATES[0]["BACKEND"], "DIRS": [BASE_DIR / "templates"]}]
MIDDLEWARE = [
    "web.middleware.probes.probes_middleware",
    "web.middleware.overload.overload_middleware",
    "web.middleware.proxies.proxies_middleware",
    "web.middleware.limits.limits_middleware",
]
REST_FRAMEWORK: dict[str, list[str]] = {"DEFAULT_AUTHENTICATION_CLASSES": []}  # nobody logs in
BODY_LIMITS = {"/": 1000, "/large/": 100_000}
ANONYMOUS_BODY_LIMIT = 2000
SESSION_COOKIE_NAME = "sessionid"
TRUSTED_PROXIES = []


def count(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{len(request.body)} {request.headers.get('X-Forwarded-Proto')}")


def wait(request: HttpRequest) -> HttpResponse:
    logging.warning("waits")
    time.sleep(1)
    return HttpResponse("waited")


def wait_at_the_gate(request: HttpRequest) -> HttpResponse:
    logging.warning("stands at the gate")
    while not Path(os.environ["GATE"]).exists():
        time.sleep(0.05)
    return HttpResponse("let through")


urlpatterns = [
    path("", count, name="home"),
    path("login/", count, name="account_login"),  # error pages lead there
    path("help/", count, name="help"),
    path("large/", count),
    path("wait/", wait),
    path("wait/at-the-gate/", wait_at_the_gate),
]
