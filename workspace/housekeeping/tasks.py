"""The background task of housekeeping."""

from celery import shared_task

from web import clock
from workspace.housekeeping import purging


@shared_task
def purge() -> int:
    """Purge what is past its retention; how many rows that were."""
    return purging.purge(clock.now())
