from celery import shared_task

from web import clock
from workspace.housekeeping import purging


@shared_task
def purge() -> int:
    return purging.purge(clock.now())
