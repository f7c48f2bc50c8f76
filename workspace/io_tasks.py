"""Tasks of the queue IO; its worker does without the mathematics that `workspace.tasks` imports."""

from functools import cache
from typing import Any

from celery import current_app, shared_task
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from crowd.language_model.work import running
from evaluation import waiting
from evaluation.models import WrittenReport
from judging.models import Assignment, PlanJob, RecordEntry
from web import clock
from web.queues import MAX_WAITING, queue_lengths, queue_of
from workspace.alerts import sending
from workspace.models import Forecast, ImportJob
from workspace.recruiting import sync

# What each task has to do.
WORK: dict[str, list[QuerySet[Any]]] = {
    "judging.tasks.tick": [Assignment.objects.overdue(Now())],
    "operations.record.tasks.write_record": [RecordEntry.objects.filter(written_at=None)],
    "evaluation.tasks.bring_up_to_date": [waiting.stale_studies()],
    "evaluation.tasks.analyse": [waiting.wanted_analyses()],
    "evaluation.tasks.write_reports": [WrittenReport.unfinished(), waiting.expired_reports(Now())],
    "workspace.tasks.plan": [PlanJob.unfinished()],
    "workspace.tasks.forecast": [Forecast.unfinished()],
    "workspace.tasks.import_files": [ImportJob.unfinished()],
    "workspace.io_tasks.send_alerts": [sending.due_messages(Now())],
    "workspace.io_tasks.sync_studies": sync.due_rows(Now()),
    "crowd.tasks.ask_models": [running()],
}


@shared_task
def find_work() -> list[str]:
    """Request tasks that have something to do; returns their names.

    They are not requested otherwise, so that the site does little when idle. A task that is
    requested twice finds nothing the second time.
    """
    with connection.cursor() as cursor:
        cursor.execute(*_statement())
        names = [name for name, has_work in zip(WORK, cursor.fetchone(), strict=True) if has_work]
    if names:
        lengths = queue_lengths()
        names = [name for name in names if lengths[queue_of(name)] < MAX_WAITING]
    for name in names:
        current_app.send_task(name)
    return names


@cache
def _statement() -> tuple[str, list[Any]]:
    """Whether there are rows in the querysets of each task, in one statement for all.

    It is made once, since to make it takes longer than to run it.
    """
    questions, parameters = [], []
    for querysets in WORK.values():
        parts = [queryset.values("pk").query.sql_with_params() for queryset in querysets]
        questions.append(" OR ".join(f"EXISTS ({sql})" for sql, _ in parts))
        parameters += [value for _, values in parts for value in values]
    return f"SELECT {', '.join(questions)}", parameters


@shared_task
def send_alerts() -> int:
    return sending.send_due(clock.now())


@shared_task
def sync_studies() -> int:
    """Sync submissions that events name, and once a minute all that is under way."""
    return sync.sync_due_studies(clock.now())
