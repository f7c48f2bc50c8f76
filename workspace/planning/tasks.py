from celery import shared_task

from judging.studies import plan_jobs
from workspace.planning import forecast_jobs


@shared_task
def forecast() -> int:
    return forecast_jobs.run_pending_forecasts()


@shared_task
def plan() -> int:
    return plan_jobs.make_plans()
