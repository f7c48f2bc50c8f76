"""The Celery application: background work and its clock."""

import os
from logging.config import dictConfig

from celery import Celery
from celery.signals import setup_logging, task_prerun
from django.conf import settings
from django.db import close_old_connections
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's checks, which `migrate` has made before: they import every page, at each start of a part.
os.environ.setdefault("CELERY_SKIP_CHECKS", "yes")
# Broker addresses that begin with `embedded+`.
TRANSPORT_ALIASES["embedded"] = "config.embedded.broker:Transport"

app = Celery("magnitudes")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Each worker is told which tasks to load (`--include`); the clock needs none.


@setup_logging.connect
def keep_logs(**details: object) -> None:
    """Have Celery log as LOGGING of the settings says: by itself it writes what people typed."""
    dictConfig(settings.LOGGING)


@task_prerun.connect
def look_at_connections(**details: object) -> None:
    """Have a kept connection looked at before it is used: PostgreSQL may have restarted."""
    close_old_connections()
