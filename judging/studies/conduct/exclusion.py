from django.db import transaction

from accounts.models import User
from judging.models import StudyTopic, Worker
from judging.studies import trail
from judging.studies.conduct.stages import CannotRun, increment_revisions
from judging.studies.locks import reload_locked
from web import clock

MAX_REASON_LENGTH = 500


def exclude(worker: Worker, reason: str, by: User | None) -> Worker:
    """Let no computation take the worker's scores; rankings follow.

    Their units stay theirs, and are paid. They begin no further unit; one in progress may be
    finished, is paid, and does not count.

    Raises CannotRun: no reason, or the study was judged elsewhere.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= MAX_REASON_LENGTH:
        raise CannotRun(f"Say why, in 1 to {MAX_REASON_LENGTH} characters.", field="reason")
    return _set_reason(worker, reason, by, "excluded")


def take_back_exclusion(worker: Worker, by: User | None) -> Worker:
    return _set_reason(worker, "", by, "took back exclusion")


@transaction.atomic
def _set_reason(worker: Worker, reason: str, by: User | None, action: str) -> Worker:
    study = reload_locked(worker.study)  # nobody is admitted meanwhile
    if study.is_imported:
        raise CannotRun(
            f"Study {study} was judged elsewhere: leave the worker out of the file, and import it "
            "again."
        )
    worker = Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
    if bool(reason) != bool(worker.exclusion_reason):
        worker.excluded_at, worker.exclusion_reason = (clock.now() if reason else None), reason
        worker.save(update_fields=["excluded_at", "exclusion_reason"])
        increment_revisions(StudyTopic.objects.filter(assignment__worker=worker).values("pk"))
        details = {"reason": reason} if reason else {}
        trail.record(study, by, action, worker=worker.pseudonym, **details)
    return worker
