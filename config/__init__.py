"""The project: settings, servers and the processes that make it up."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
