"""How an assignment changes: its row is locked, and then one permitted move is made."""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from judging import states
from judging.models import Assignment, Study
from judging.states import By, State

Row = TypeVar("Row", bound=Model)


def deadline(study: Study, state: State | str, now: datetime) -> datetime:
    """Until when a unit is held for a worker who is active `now`.

    Before practice is passed that is shorter, so that nobody takes units just by opening pages.
    """
    minutes = study.expiry_minutes
    if state == State.PRACTICE:
        minutes = min(minutes, study.practice_minutes)
    return now + timedelta(minutes=minutes)


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
    assignment: Assignment, name: str, target: State | str, now: datetime, **changes: Any
) -> None:
    """Make a worker's permitted move of a locked assignment, with what changes by it.

    It is activity: the unit is held from now on anew, unless the move ends the attempt.

    Raises:
        NotPermitted: the table of states has no such move.
    """
    states.check(name, assignment.state, target, By.WORKER)
    changes |= {"state": State(target), "active_at": now}
    if target in states.LIVE:
        changes["deadline_at"] = deadline(assignment.study, target, now)
    for field, value in changes.items():
        setattr(assignment, field, value)
    assignment.save(update_fields=list(changes))
