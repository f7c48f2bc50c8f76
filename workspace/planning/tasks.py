"""What planning has done in the background."""

from celery import shared_task

from judging.studies import plan_jobs
from workspace.planning import asking


@shared_task
def forecast() -> int:
    """Find forecasts that have been asked for, and compute them."""
    return asking.bring_up_to_date()


@shared_task
def plan() -> int:
    """Find plans that have been asked for, and make them."""
    return plan_jobs.make_plans()
