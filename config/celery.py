import os
from logging.config import dictConfig
from threading import Lock
from typing import Any

from celery import Celery
from celery import Task as CeleryTask
from celery.signals import setup_logging, task_prerun
from django.conf import settings
from django.db import close_old_connections

from config.background import IO, TASKS, of_queue
from web.background.deadlines import time_limit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# `migrate` has run Django's checks, which import all views at each start.
os.environ.setdefault("CELERY_SKIP_CHECKS", "yes")


class Task(CeleryTask):
    """Tasks of the queue IO have a time limit, and run once at a time in a process.

    Each does all that is due, so while it runs a second one has nothing to do.
    """

    _running = {name: Lock() for name in of_queue(IO)}

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """None if it is running already."""
        running = self._running.get(self.name)
        if running is None:
            return self.run(*arguments, **options)
        if not running.acquire(blocking=False):
            return None
        try:
            with time_limit(TASKS[self.name].limit):
                return self.run(*arguments, **options)
        finally:
            running.release()


app: "Celery[Any]" = Celery("magnitudes", task_cls=Task)
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def configure_logging(**details: object) -> None:
    """Celery's own configuration logs what people typed."""
    dictConfig(settings.LOGGING)


@task_prerun.connect
def check_connections(**details: object) -> None:
    """Check a persistent connection before it is used: PostgreSQL may have restarted."""
    close_old_connections()
