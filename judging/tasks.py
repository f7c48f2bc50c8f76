"""What the tick does for judging."""

from celery import shared_task
from django.utils import timezone

from judging import flow


@shared_task
def tick() -> int:
    """End the assignments that have been left alone for too long."""
    return flow.expire_overdue(timezone.now())
