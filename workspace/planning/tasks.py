"""What planning has done in the background."""

from celery import shared_task

from workspace.planning import asking


@shared_task
def forecast() -> int:
    """Find forecasts that have been asked for, and compute them."""
    return asking.bring_up_to_date()
