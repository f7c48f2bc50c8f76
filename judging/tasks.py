"""What the tick does for judging."""

from celery import shared_task
from django.utils import timezone

from judging import flow, retention


@shared_task
def tick() -> int:
    """End what has been left alone for too long, and forget whom no study needs to pay any more."""
    now = timezone.now()
    retention.forget_accounts(now)
    return flow.expire_overdue(now)
