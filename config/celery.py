"""The Celery application: background work and its clock."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Broker addresses that begin with `embedded+`.
TRANSPORT_ALIASES["embedded"] = "config.broker:Transport"

app = Celery("magnitudes")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
