from celery import shared_task

from web import clock
from workspace.recruiting import sync


@shared_task
def sync_studies() -> int:
    """Sync submissions that events name, and once a minute all that is under way."""
    return sync.sync_due_studies(clock.now())
