"""What the tick does for evaluation."""

from celery import shared_task

from evaluation import pipeline
from evaluation.cache import stored
from evaluation.report import jobs
from judging.models import Tick
from web import clock


@shared_task
def bring_up_to_date() -> int:
    """Find what has changed since the last evaluation, and bring it up to date."""
    done = pipeline.bring_up_to_date()
    Tick.objects.update_or_create(name=Tick.RANKINGS, defaults={"ran_at": clock.now()})
    return done


@shared_task
def analyse() -> int:
    """Find analyses that have been asked for, and compute them."""
    return stored.bring_up_to_date()


@shared_task
def write_reports() -> int:
    """Find reports that have been asked for, and write them."""
    return jobs.bring_up_to_date()
