"""Tasks of the queue IO; its worker does without the mathematics that `workspace.tasks` imports."""

from celery import shared_task

from web import clock
from workspace.alerts import sending
from workspace.recruiting import sync


@shared_task
def send_alerts() -> int:
    return sending.send_due(clock.now())


@shared_task
def sync_studies() -> int:
    """Sync submissions that events name, and once a minute all that is under way."""
    return sync.sync_due_studies(clock.now())
