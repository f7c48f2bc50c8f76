"""What the tick does for judging."""

from celery import shared_task

from judging import flow
from judging.studies import retention
from web import clock


@shared_task
def tick() -> int:
    """End what has been left alone for too long, and forget whom no study needs to pay any more."""
    now = clock.now()
    retention.forget_accounts(now)
    return flow.expire_overdue(now)
