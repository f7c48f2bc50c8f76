"""The Celery application."""

import os
from logging.config import dictConfig

from celery import Celery
from celery.signals import setup_logging, task_prerun
from django.conf import settings
from django.db import close_old_connections
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# `migrate` has run Django's checks, which import all views at each start.
os.environ.setdefault("CELERY_SKIP_CHECKS", "yes")
# Broker addresses that begin with `embedded+`.
TRANSPORT_ALIASES["embedded"] = "config.embedded.broker:Transport"

app = Celery("magnitudes")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Workers load tasks by `--include`; beat needs none.


@setup_logging.connect
def configure_logging(**details: object) -> None:
    """Configure LOGGING, since Celery by itself logs what people typed."""
    dictConfig(settings.LOGGING)


@task_prerun.connect
def check_connections(**details: object) -> None:
    """Check a persistent connection before it is used: PostgreSQL may have restarted."""
    close_old_connections()
