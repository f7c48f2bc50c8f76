"""What the tick's task is compared with."""

from celery import shared_task


@shared_task(ignore_result=False)
def nothing() -> None:
    """Do nothing, and say so."""
