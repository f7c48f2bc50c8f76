"""What recruiting has done in the background."""

from celery import shared_task

from web import clock
from workspace.recruiting import following


@shared_task
def follow() -> int:
    """Read on Prolific what its events tell of, and once a minute what is under way."""
    return following.follow(clock.now())
