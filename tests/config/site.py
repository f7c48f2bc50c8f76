"""A small site for the supervisor to run: one page and one task, both of which ask PostgreSQL."""

import time
from typing import Any

from celery import shared_task
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path

from config import settings
from config.settings import *  # noqa: F403

ROOT_URLCONF = __name__
INSTALLED_APPS = ["django.contrib.contenttypes", "tests.config"]
MIDDLEWARE = ["web.logs.requests.requests_middleware"]
TEMPLATES: list[Any] = []
TASKS_OF_QUEUES = {queue: [__name__] for queue in settings.TASKS_OF_QUEUES}
CELERY_BEAT_SCHEDULE = {"tick": {"task": "tick", "schedule": 0.5, "options": {"expires": 0.5}}}
TICKS = settings.VAR_DIR / "ticks"


def ask() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_content_type")
        return cursor.fetchone()[0]


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{ask()}")


@shared_task(name="tick")
def tick() -> None:
    ask()
    with TICKS.open("a") as ticks:
        ticks.write(f"{time.time()}\n")


urlpatterns = [path("", page), path("readyz", page)]
