"""The Celery application: background work and its clock."""

import os

from celery import Celery
from celery.signals import task_prerun
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


@task_prerun.connect
def look_at_connections(**details: object) -> None:
    """Have a kept connection looked at before it is used: PostgreSQL may have restarted."""
    close_old_connections()
