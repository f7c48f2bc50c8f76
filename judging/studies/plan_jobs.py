from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from accounts.models import User
from judging.models import PlanJob, Study
from judging.studies.unit_plans import CannotPlan, plan, validate_plan
from web import clock
from web.background import leases
from web.background.work import Superseded, attempt, one_by_one, throttled_progress

State = PlanJob.State
LEASE = "plans"


@transaction.atomic
def request_plan(study: Study, by: User | None, **options: Any) -> PlanJob:
    """Have a study planned in the background; options: as of `plan`, by default the study's.

    Raises CannotPlan: the study is no draft or has no topics, an option is out of its bounds, or
    the study is being planned already.
    """
    validate_plan(study, **options)
    fresh: dict[str, Any] = {"options": options, "asked_by": by, "asked_at": clock.now()}
    fresh |= {"state": State.WAITING, "tries": 0, "progress": 0.0, "fault": "", "result": None}
    # Of two at once one wins: they wait for each other at the row, or at its unique index.
    over = PlanJob.objects.filter(study=study).exclude(state__in=PlanJob.UNFINISHED)
    if not over.update(**fresh):
        _, is_first = PlanJob.objects.get_or_create(study=study, defaults=fresh)
        if not is_first:
            raise CannotPlan(f"Study {study} is being planned already: wait until that is done.")
    return PlanJob.objects.get(study=study)


def plan_job_of(study: Study) -> PlanJob | None:
    """The newest; None: nobody has requested one."""
    return PlanJob.objects.filter(study=study).select_related("study").first()


def make_plans() -> int:
    """Make the requested plans, unless another process does; returns how many."""
    unfinished = PlanJob.unfinished().order_by("asked_at")
    return one_by_one(LEASE, unfinished.select_related("study", "asked_by").first, _make)


def _make(job: PlanJob) -> int:
    job.begin(State.COMPUTING)
    try:
        done, fault = attempt(job.tries, lambda: _plan(job), (CannotPlan,), f"{job}")
    except Superseded:
        return 1
    if done is None:
        job.end(State.FAILED, fault)
    return 1


def _plan(job: PlanJob) -> bool:
    with _progress_recorder(job) as progress, transaction.atomic():
        result = plan(job.study, by=job.asked_by, progress=progress, **job.options)
        leases.lock_lease_until_commit()
        job.end(State.DONE, "", result=asdict(result), progress=1.0)
    return True


@contextmanager
def _progress_recorder(job: PlanJob) -> Iterator[Callable[[float], None]]:
    """On a connection of its own: others see the progress while the plan's transaction is open."""
    beside = connections.create_connection(DEFAULT_DB_ALIAS)

    def record(share: float) -> None:
        with beside.cursor() as cursor:
            cursor.execute(
                f"UPDATE {PlanJob._meta.db_table} SET progress = %s WHERE id = %s"
                " AND state = 'computing'",
                [share, job.pk],
            )

    try:
        yield throttled_progress(record)
    finally:
        beside.close()
