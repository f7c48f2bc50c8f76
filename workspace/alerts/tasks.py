"""The background tasks of alerts."""

from celery import shared_task

from web import clock
from workspace.alerts import sending, watching


@shared_task
def watch() -> int:
    """Open and close alerts; how many."""
    return watching.watch(clock.now())


@shared_task
def send() -> int:
    """Send the messages that are due; how many went out."""
    return sending.send_due(clock.now())
