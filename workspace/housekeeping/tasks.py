"""What housekeeping has done in the background."""

from celery import shared_task

from web import clock
from workspace.housekeeping import purging


@shared_task
def purge() -> int:
    """Delete what has been kept for as long as it may be; how many rows that were."""
    return purging.purge(clock.now())
