"""What the tick does for judging."""

from celery import shared_task

from judging import flow
from web import clock


@shared_task
def tick() -> int:
    """End what has been left alone for too long, and nothing else: people wait for units."""
    return flow.expire_overdue(clock.now())
