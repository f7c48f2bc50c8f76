from celery import shared_task

from accounts.retention import purge_answers
from accounts.sessions import purge_sessions
from judging.collections.documents import purge_staging
from judging.studies import plan_jobs
from judging.studies.retention import purge_accounts
from web import clock
from web.background.work import for_each
from workspace.alerts import watching
from workspace.imports import archives, datasets, importing, opinions
from workspace.models import ImportJob, PublishedPage
from workspace.planning import forecast_jobs
from workspace.recruiting.events import purge_events
from workspace.recruiting.sync import purge_submissions

IMPORTS: importing.Imports = {
    ImportJob.What.ARCHIVE: archives.import_uploaded,
    ImportJob.What.COLLECTION: importing.import_collection_files,
    ImportJob.What.DATASET: datasets.import_dataset,
    ImportJob.What.OPINIONS: opinions.import_table,
}
PURGES = {
    "ids of people": purge_accounts,
    "submissions on Prolific": purge_submissions,
    "events of Prolific": purge_events,
    "answers to requests": purge_answers,
    "published pages that may not be shown any more": (
        lambda now: PublishedPage.objects.contradicted().withdraw(now)
    ),
    "sessions": purge_sessions,
    "uploads and imports": importing.purge_old_imports,
    "documents of imports that were killed": purge_staging,
}


@shared_task
def import_files() -> int:
    return importing.import_next(IMPORTS)


@shared_task
def plan() -> int:
    return plan_jobs.make_plans()


@shared_task
def forecast() -> int:
    return forecast_jobs.run_pending_forecasts()


@shared_task
def watch() -> int:
    return watching.watch(clock.now())


@shared_task
def purge() -> int:
    """Purge what is past its retention; a part that fails stops no other."""
    now = clock.now()
    return for_each(PURGES, lambda part: PURGES[part](now), "purging")
