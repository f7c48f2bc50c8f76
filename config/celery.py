"""The Celery application: background work and its clock."""

import os

from celery import Celery

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("magnitudes")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
