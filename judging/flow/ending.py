import logging
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import F, Q

from accounts.models import User
from judging import states
from judging.flow.moves import at_least_last_activity, deadline, idle_timeout, lock_live, move
from judging.flow.visits import leave_page, seconds_by_page
from judging.models import Assignment, DocumentNote, Judgment, Study, StudyTopic, Tick, Unit, Visit
from judging.payments.earnings import earn
from judging.record import log_withdrawal
from judging.states import Actor, State
from judging.studies import trail
from magnitudes.files.words import count
from web.background import leases

log = logging.getLogger(__name__)
MIN_OUTAGE = timedelta(minutes=1)  # without a tick; less than that is a late tick
MAX_CLOCK_DELAY = timedelta(seconds=1)  # from reading `now` off the clock to its use here
MAX_PER_TICK = 500
WITHDRAWAL_MOVES = {Actor.TEAM: "withdraw", Actor.WORKER: "take back"}
WITHDRAWAL_ACTIONS = {Actor.TEAM: "withdrew", Actor.WORKER: "withdrawn by worker"}  # in the trail
_OWN_CLOCK_LEASE = "own clock of "  # prefix of the names of leases


class AlreadyRunning(ValueError):
    """Another crowd sets the study's clock."""


@contextmanager
def own_clock(study: Study) -> Iterator[None]:
    """Let a crowd set a study's clock: meanwhile the tick expires nothing in that study."""
    with leases.lease(f"{_OWN_CLOCK_LEASE}{study.pk}") as is_alone:
        if not is_alone:
            raise AlreadyRunning(f"Another crowd is at work in study {study}.")
        yield


def _studies_with_own_clock() -> list[int]:
    return [int(key) for key in leases.active_leases(_OWN_CLOCK_LEASE)]


def end(
    assignments: Sequence[Assignment], name: str, target: State, by: Actor, now: datetime
) -> None:
    """End live, locked assignments: their rows stay, their data go, their units are free again."""
    seconds = seconds_by_page(assignments, now)
    for assignment in assignments:
        states.check(name, assignment.state, target, by)
        assignment.state, assignment.finished_at = target, now
        assignment.seconds = seconds[assignment.pk]
        if target != State.FAILED:  # a failed practice is shown to the worker
            assignment.line_scores = []
    changed = ["state", "finished_at", "seconds", "line_scores", "barred", "wrong_answers"]
    Assignment.objects.bulk_update(assignments, changed)
    delete_answers(assignments)
    free_units(assignments)


def delete_answers(assignments: Sequence[Assignment]) -> None:
    Judgment.objects.filter(assignment__in=assignments).delete()
    Visit.objects.filter(assignment__in=assignments).delete()
    DocumentNote.objects.filter(assignment__in=assignments).delete()


def free_units(assignments: Sequence[Assignment]) -> None:
    units = [assignment.unit_id for assignment in assignments]
    Unit.objects.filter(pk__in=units).update(free=True)


def fail(assignment: Assignment, name: str, now: datetime) -> None:
    """End a live, locked assignment because check (a) or (b) failed."""
    end([assignment], name, State.FAILED, Actor.WORKER, now)


def exhaust(assignment: Assignment, name: str, now: datetime, **changes: Any) -> None:
    """End an attempt without tries left: it does not count, and is paid where the study says so."""
    code = new_code() if assignment.study.pays_after_limit else None
    move(assignment, name, State.EXHAUSTED, now, completion_code=code, finished_at=now, **changes)
    earn(assignment, now)
    free_units([assignment])


def new_code() -> str:
    return secrets.token_hex(5).upper()


def first_incomplete(assignment: Assignment, judgments: Iterable[Judgment]) -> int | None:
    """The first page without an answer, or with a newer draft."""
    answered = {judgment.position for judgment in judgments if judgment.is_answered}
    return next((p for p in range(1, assignment.last + 1) if p not in answered), None)


def is_paid_to_leave(assignment: Assignment) -> bool:
    """Whether leaving now is paid: on a platform, after a failed Finish, with all answers."""
    if assignment.state != State.REVISING or not assignment.study.pays_for_leaving:
        return False
    return first_incomplete(assignment, assignment.judgments.all()) is None


@transaction.atomic
def leave(token: str, now: datetime) -> bool:
    """Returns whether the assignment was live; see `is_paid_to_leave`."""
    assignment = lock_live(token)
    if assignment is None:
        return False
    if is_paid_to_leave(assignment):
        now = at_least_last_activity(assignment, now)
        leave_page(assignment, None, now)
        seconds = seconds_by_page([assignment], now)[assignment.pk]
        exhaust(assignment, "leave", now, seconds=seconds)
        return True
    end([assignment], "leave", State.LEFT, Actor.WORKER, now)
    return True


@transaction.atomic
def renew_deadline(token: str, now: datetime) -> datetime | None:
    """The new deadline; None: not live. Without progress at most `MAX_RENEWALS` renewals."""
    assignment = lock_live(token)
    if assignment is None:
        return None
    assignment.active_at = at_least_last_activity(assignment, now)
    assignment.deadline_at = deadline(assignment, assignment.active_at)
    assignment.save(update_fields=["active_at", "deadline_at"])
    return assignment.deadline_at


@transaction.atomic
def expire_overdue(now: datetime) -> int:
    """End assignments past their deadline; returns how many. Only the tick calls this.

    If no tick has run for a minute, nobody could be served, so all live deadlines first move on by
    the gap. If the last tick ran minutes from now, PostgreSQL's clock was set back, and what is
    under way moves back with it. Assignments that their workers have locked, and those beyond
    `MAX_PER_TICK`, are left to the next tick.
    """
    began = monotonic()
    Tick.objects.get_or_create(name=Tick.EXPIRY, defaults={"ran_at": now})
    tick = Tick.objects.select_for_update(skip_locked=True).filter(name=Tick.EXPIRY).first()
    if tick is None or tick.ran_at - MIN_OUTAGE <= now < tick.ran_at:
        return 0
    gap = now - tick.ran_at
    if now < tick.ran_at:
        _follow_clock_rollback(now, gap, began)
    if gap > MIN_OUTAGE:
        moved = Assignment.objects.live().update(
            deadline_at=F("deadline_at") + gap, progressed_at=F("progressed_at") + gap
        )
        seconds = gap.total_seconds()
        log.warning("No tick for %.0f s: %s moved on by that", seconds, count(moved, "deadline"))
    tick.ran_at = now
    tick.save(update_fields=["ran_at"])
    overdue = Assignment.objects.overdue(now).exclude(study__in=_studies_with_own_clock())
    ended = list(overdue.locked(skip=True).order_by("deadline_at")[:MAX_PER_TICK])
    end(ended, "expire", State.EXPIRED, Actor.TICK, now)
    return len(ended)


def _follow_clock_rollback(now: datetime, gap: timedelta, began: float) -> None:
    """Move what is under way and was active after `now` back by `gap`, which is negative.

    Otherwise no time would pass on pages until the clock catches up. No deadline stays later than
    that of a worker active now: it may have been set while the clock was ahead.

    began: the monotonic time at `now`. Whoever was active since then, before their row was locked
    here, was active by the clock as it is now.
    """
    live = Assignment.objects.live().exclude(study__in=_studies_with_own_clock())
    ahead = live.filter(Q(started_at__gt=now) | Q(active_at__gt=now)).locked().order_by("pk")
    keys = list(ahead.values_list("pk", flat=True))
    clock_time = now + timedelta(seconds=monotonic() - began) + MAX_CLOCK_DELAY
    begun = Assignment.objects.filter(pk__in=keys, started_at__gt=clock_time)
    begun.update(started_at=F("started_at") + gap)
    active = Assignment.objects.filter(pk__in=keys, active_at__gt=clock_time)
    Visit.objects.filter(assignment__in=active).update(
        opened_at=F("opened_at") + gap, closed_at=F("closed_at") + gap
    )
    names = ("active_at", "deadline_at", "progressed_at")
    moved = active.update(**{name: F(name) + gap for name in names})
    for study in Study.objects.filter(pk__in=live.values("study")):
        latest = now + idle_timeout(study, State.REVISING, 0)
        live.filter(study=study, deadline_at__gt=latest).update(deadline_at=latest)
    log.warning(
        "PostgreSQL's clock was set back by %.0f s: %s moved back with it",
        -gap.total_seconds(),
        count(moved, "unit in progress", "units in progress"),
    )


def record_withdrawal(assignment: Assignment, by: Actor, user: User | None) -> None:
    details = {"unit": str(assignment.unit), "worker": assignment.worker.pseudonym}
    trail.record(assignment.study, user, WITHDRAWAL_ACTIONS[by], **details)


@transaction.atomic
def withdraw(
    completion_code: str, now: datetime, by: Actor = Actor.TEAM, user: User | None = None
) -> Assignment | None:
    """Delete the answers of a paid unit; the pay stays, the unit returns to the pool.

    An exhausted attempt keeps its state: it never counted. user: of the team; None: a command, or
    the worker. None is returned where no assignment with this code has judgments.
    """
    assignment = Assignment.objects.locked().filter(completion_code=completion_code).first()
    if assignment is None or not assignment.judgments.exists():
        return None
    delete_answers([assignment])
    log_withdrawal(assignment, by, user)
    record_withdrawal(assignment, by, user)
    if assignment.state == State.COMPLETED:
        states.check(WITHDRAWAL_MOVES[by], assignment.state, State.WITHDRAWN, by)
        assignment.state = State.WITHDRAWN
        assignment.save(update_fields=["state"])
        free_units([assignment])
        StudyTopic.objects.filter(pk=assignment.study_topic_id).update(revision=F("revision") + 1)
    return assignment
