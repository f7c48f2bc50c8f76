from django.db import transaction

from accounts.models import User
from judging.models import Study, StudyTopic, Worker
from judging.studies import trail
from judging.studies.conduct.stages import CannotRun, increment_revisions
from judging.studies.locks import reload_locked
from web import clock

MAX_REASON_LENGTH = 500


@transaction.atomic
def exclude(worker: Worker, reason: str, by: User | None) -> Worker:
    """Let no computation take the worker's scores; rankings follow.

    Their units stay theirs, and are paid. They begin no further unit; one in hand may be finished,
    is paid, and does not count. Raises CannotRun: no reason, or the study was judged elsewhere.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= MAX_REASON_LENGTH:
        raise CannotRun(f"Say why, in 1 to {MAX_REASON_LENGTH} characters.", field="reason")
    study, worker = _locked(worker)
    if worker.excluded_at is None:
        _mark(worker, reason)
        trail.record(study, by, "excluded", worker=worker.pseudonym, reason=reason)
    return worker


@transaction.atomic
def take_back_exclusion(worker: Worker, by: User | None) -> Worker:
    study, worker = _locked(worker)
    if worker.excluded_at is not None:
        _mark(worker, "")
        trail.record(study, by, "took back exclusion", worker=worker.pseudonym)
    return worker


def _locked(worker: Worker) -> tuple[Study, Worker]:
    """Nobody is admitted meanwhile."""
    study = reload_locked(worker.study)
    if study.is_imported:
        raise CannotRun(
            f"Study {study} was judged elsewhere: leave the worker out of the file, and import it "
            "again."
        )
    return study, Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)


def _mark(worker: Worker, reason: str) -> None:
    worker.excluded_at, worker.exclusion_reason = (clock.now() if reason else None), reason
    worker.save(update_fields=["excluded_at", "exclusion_reason"])
    increment_revisions(StudyTopic.objects.filter(assignment__worker=worker).values("pk"))
