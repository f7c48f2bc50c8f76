"""The background task of alerts."""

from celery import shared_task

from web import clock
from workspace.alerts import sending, watching


@shared_task
def alert() -> int:
    """Open and close alerts, and send what is due; how many messages went out."""
    now = clock.now()
    watching.watch(now)
    return sending.send_due(now)
