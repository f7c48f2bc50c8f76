"""How an assignment changes: its row is locked, and then one permitted move is made."""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from judging import states
from judging.models import Assignment, Study
from judging.states import By, State

Row = TypeVar("Row", bound=Model)


# How often the time of a unit is renewed without progress. WCAG 2.2.1 wants ten times at least.
MAX_RENEWALS = 10
PROGRESS = ("state", "practice_step", "wrong_answers", "position", "furthest", "failed_finishes")


def time_held(study: Study, state: State | str, furthest: int) -> timedelta:
    """For how long a unit is held for a worker who does nothing.

    Until the first document is sent that is shorter, so that nobody takes units by opening pages.

    Args:
        furthest: the furthest page reached, 0 before the documents.
    """
    minutes = study.expiry_minutes
    if state != State.REVISING and furthest <= 1:
        minutes = min(minutes, study.practice_minutes)
    return timedelta(minutes=minutes)


def deadline(assignment: Assignment, now: datetime) -> datetime:
    """Until when a unit is held for a worker who is active `now`; without progress not for ever."""
    held = time_held(assignment.study, assignment.state, assignment.furthest)
    return min(now + held, assignment.progressed_at + (1 + MAX_RENEWALS) * held)


def only_row(rows: QuerySet[Row]) -> Row | None:
    """The row of a query that cannot find two; None: it finds none.

    `first` would sort as well, which is a fifth of what it costs to read an assignment.
    """
    return next(iter(rows), None)


def hold(token: str, *of_states: State) -> Assignment | None:
    """The live assignment of this token, locked until the transaction ends.

    of_states: only if it is in one of these.
    """
    assignments = Assignment.objects.locked().select_related("study")
    return only_row(assignments.filter(token=token, state__in=of_states or states.LIVE))


def hold_at_documents(slug: str, pseudonym: str) -> Assignment | None:
    """The assignment of a worker who is at the documents, locked until the transaction ends."""
    assignments = Assignment.objects.locked().judging().select_related("study", "worker")
    return only_row(assignments.filter(study__slug=slug, worker__pseudonym=pseudonym))


def not_before(assignment: Assignment, now: datetime) -> datetime:
    """`now`, or the last activity: a form may have waited for the lock while later ones passed."""
    return max(now, assignment.active_at)


def move(
    assignment: Assignment,
    name: str,
    target: State | str,
    now: datetime,
    *,
    repeats: bool = False,
    **changes: Any,
) -> None:
    """Make a worker's permitted move of a locked assignment, with what changes by it.

    It is activity: the unit is held from now on anew, unless the move ends the attempt.

    repeats: what the form says was there already. If nothing else changes, the version stays too.

    Raises:
        NotPermitted: the table of states has no such move.
    """
    states.check(name, assignment.state, target, By.WORKER)
    changes["state"] = State(target)
    if not repeats or any(getattr(assignment, field) != value for field, value in changes.items()):
        changes["version"] = assignment.version + 1
    changes["active_at"] = now
    if any(changes.get(name, value) != value for name, value in _progress(assignment).items()):
        changes["progressed_at"] = now
    for field, value in changes.items():
        setattr(assignment, field, value)
    if target in states.LIVE:
        assignment.deadline_at = deadline(assignment, now)
    assignment.save(update_fields=[*changes, "deadline_at"])


def _progress(assignment: Assignment) -> dict[str, Any]:
    """What changes as a worker goes on."""
    return {name: getattr(assignment, name) for name in PROGRESS}
