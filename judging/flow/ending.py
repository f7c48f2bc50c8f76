"""How an assignment ends without being completed, and how a completed one is withdrawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from judging import states
from judging.models import Assignment, CheckFailure, Judgment, Study, StudyTopic, Tick, Unit, Visit
from judging.states import By, State

EXPIRY = "expiry"
_OWN_CLOCK = 0x636C6F63  # the first key of the advisory locks of studies with a clock of their own


class AlreadyRunning(ValueError):
    """Another process moves the study's clock."""


@contextmanager
def own_clock(study: Study) -> Iterator[None]:
    """For as long as this lasts the study's time is not ours, and the tick expires nothing in it.

    PostgreSQL ends it when the connection ends, however that comes about.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_OWN_CLOCK, study.pk])
        if not cursor.fetchone()[0]:
            raise AlreadyRunning(f"Another crowd is at work in study {study}.")
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_OWN_CLOCK, study.pk])


def _with_own_clock() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT objid::int FROM pg_locks WHERE locktype = 'advisory' AND classid = %s"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            [_OWN_CLOCK],
        )
        return [row[0] for row in cursor.fetchall()]


# Seconds on each document page so far, summed over visits; an open visit lasts until now.
SECONDS = """
    SELECT array_agg(coalesce(spent, 0)::float8 ORDER BY page)
    FROM generate_series(1, %(last)s) page LEFT JOIN (
        SELECT position, sum(extract(
            epoch FROM coalesce(closed_at, greatest(%(now)s, opened_at)) - opened_at
        )) AS spent
        FROM judging_visit WHERE assignment_id = %(assignment)s GROUP BY position
    ) v ON v.position = page
"""


def end(assignment: Assignment, move: str, target: State, by: By, now: datetime) -> None:
    """End a live, locked assignment: its row stays, its data go, its unit is free again."""
    states.check(move, assignment.state, target, by)
    with connection.cursor() as cursor:
        last = len(assignment.order)
        cursor.execute(SECONDS, {"now": now, "assignment": assignment.pk, "last": last})
        assignment.seconds = cursor.fetchone()[0]
    assignment.state, assignment.finished_at = target, now
    assignment.line_scores = []
    assignment.save(update_fields=["seconds", "state", "finished_at", "line_scores", "barred"])
    _discard(assignment)


def _discard(assignment: Assignment) -> None:
    Judgment.objects.filter(assignment=assignment).delete()
    Visit.objects.filter(assignment=assignment).delete()
    Unit.objects.filter(pk=assignment.unit_id).update(free=True)


def fail(assignment: Assignment, move: str, check: CheckFailure.Check, now: datetime) -> None:
    """End a live, locked assignment because check (a) or (b) failed."""
    CheckFailure.objects.create(assignment=assignment, check_name=check, at=now, attempt=1)
    assignment.barred = check == CheckFailure.Check.QUESTION
    end(assignment, move, State.FAILED, By.WORKER, now)


@transaction.atomic
def leave(token: str, now: datetime) -> bool:
    """The worker stops. False: there was nothing live to leave."""
    assignment = live(token)
    if assignment is None:
        return False
    end(assignment, "leave", State.LEFT, By.WORKER, now)
    return True


def live(token: str) -> Assignment | None:
    """The live assignment of this token, locked until the transaction ends."""
    return (
        Assignment.objects.select_for_update(of=("self",), no_key=True)
        .select_related("study")
        .filter(token=token, state__in=states.LIVE)
        .first()
    )


@transaction.atomic
def expire_overdue(now: datetime) -> int:
    """End every assignment past its deadline; the number of those. Only the tick calls this.

    If the tick has not run for more than two periods nobody could have been served, so all live
    deadlines first move on by the gap. One that a worker is using at this moment is passed over.
    """
    tick, _ = Tick.objects.select_for_update().get_or_create(name=EXPIRY, defaults={"ran_at": now})
    gap = now - tick.ran_at
    if gap < timedelta(0):
        return 0  # another tick with a later clock was here
    if gap > timedelta(seconds=2 * settings.TICK_SECONDS):
        Assignment.objects.filter(state__in=states.LIVE).update(deadline_at=F("deadline_at") + gap)
    Tick.objects.filter(name=EXPIRY).update(ran_at=now)
    overdue = (
        Assignment.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(state__in=states.LIVE, deadline_at__lt=now)
        .exclude(study__in=_with_own_clock())
    )
    for assignment in overdue:
        end(assignment, "expire", State.EXPIRED, By.TICK, now)
    return len(overdue)


@transaction.atomic
def withdraw(completion_code: str, now: datetime) -> Assignment | None:
    """Delete what a worker takes back; the pay stays, the unit returns to the pool.

    None: no completed assignment has this code.
    """
    assignment = (
        Assignment.objects.select_for_update(no_key=True)
        .filter(completion_code=completion_code, state=State.COMPLETED)
        .first()
    )
    if assignment is None:
        return None
    states.check("withdraw", assignment.state, State.WITHDRAWN, By.ADMIN)
    assignment.state = State.WITHDRAWN
    assignment.save(update_fields=["state"])
    _discard(assignment)
    StudyTopic.objects.filter(pk=assignment.study_topic_id).update(revision=F("revision") + 1)
    return assignment
