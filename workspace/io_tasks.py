"""Tasks of the queue IO; its worker does without the mathematics that `workspace.tasks` imports."""

from celery import current_app, shared_task

from evaluation import waiting
from judging.models import PlanJob
from web import clock
from web.queues import MAX_WAITING, queue_lengths, queue_of
from workspace.alerts import sending
from workspace.models import Forecast, ImportJob
from workspace.recruiting import sync

# Whether a task has something to do.
WORK = {
    "evaluation.tasks.bring_up_to_date": lambda now: waiting.stale_studies().exists(),
    "evaluation.tasks.analyse": lambda now: waiting.wanted_analyses().exists(),
    "evaluation.tasks.write_reports": lambda now: waiting.reports(now).exists(),
    "workspace.tasks.plan": lambda now: PlanJob.unfinished().exists(),
    "workspace.tasks.forecast": lambda now: Forecast.unfinished().exists(),
    "workspace.tasks.import_files": lambda now: ImportJob.unfinished().exists(),
    "workspace.io_tasks.send_alerts": lambda now: sending.due_messages(now).exists(),
    "workspace.io_tasks.sync_studies": sync.is_due,
}


@shared_task
def find_work() -> list[str]:
    """Request tasks that have something to do; returns their names.

    They are not requested otherwise, so that the site does little at rest, and the worker of
    COMPUTE keeps one process. A task that is requested twice finds nothing the second time.
    """
    now = clock.now()
    found = [name for name, has_work in WORK.items() if has_work(now)]
    if found:
        lengths = queue_lengths()
        found = [name for name in found if lengths[queue_of(name)] < MAX_WAITING]
    for name in found:
        current_app.send_task(name)
    return found


@shared_task
def send_alerts() -> int:
    return sending.send_due(clock.now())


@shared_task
def sync_studies() -> int:
    """Sync submissions that events name, and once a minute all that is under way."""
    return sync.sync_due_studies(clock.now())
