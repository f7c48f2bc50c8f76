"""What the tick does for evaluation."""

from celery import shared_task

from evaluation import pipeline


@shared_task
def bring_up_to_date() -> int:
    """Find what has changed since the last evaluation, and bring it up to date."""
    return pipeline.bring_up_to_date()
