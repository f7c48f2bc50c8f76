from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from judging import states
from judging.models import Assignment, Study
from judging.states import Actor, State

ModelT = TypeVar("ModelT", bound=Model)


# How often the time of a unit is renewed without progress. WCAG 2.2.1 wants ten times at least.
MAX_RENEWALS = 10
PROGRESS_FIELDS = {
    *("state", "practice_step", "wrong_answers", "position", "furthest", "failed_finishes"),
}


def idle_timeout(study: Study, state: State | str, furthest: int) -> timedelta:
    """Shorter until the first document is sent: nobody blocks units by opening pages."""
    minutes = study.expiry_minutes
    if state != State.REVISING and furthest <= 1:
        minutes = min(minutes, study.practice_minutes)
    return timedelta(minutes=minutes)


def deadline(assignment: Assignment, now: datetime) -> datetime:
    """When the unit of a worker who is active `now` expires; progress allows further renewals."""
    timeout = idle_timeout(assignment.study, assignment.state, assignment.furthest)
    return min(now + timeout, assignment.progressed_at + (1 + MAX_RENEWALS) * timeout)


def get_or_none(rows: QuerySet[ModelT]) -> ModelT | None:
    """Unlike `first` it does not sort, which is a fifth of what reading an assignment costs."""
    return next(iter(rows), None)


def lock_live(token: str, *in_states: State) -> Assignment | None:
    """Locked until the transaction ends; in_states: by default all live ones."""
    assignments = Assignment.objects.locked().select_related("study")
    return get_or_none(assignments.filter(token=token, state__in=in_states or states.LIVE))


def lock_at_documents(slug: str, pseudonym: str) -> Assignment | None:
    assignments = Assignment.objects.locked().judging().select_related("study", "worker")
    return get_or_none(assignments.filter(study__slug=slug, worker__pseudonym=pseudonym))


def at_least_last_activity(assignment: Assignment, now: datetime) -> datetime:
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
    """Make a worker's permitted move of a locked assignment, and renew its deadline unless it ends.

    repeats: the form was stored already. If nothing else changes, the version stays too.
    """
    states.check(name, assignment.state, target, Actor.WORKER)
    changes["state"] = State(target)
    if not repeats or any(getattr(assignment, field) != value for field, value in changes.items()):
        changes["version"] = assignment.version + 1
    changes["active_at"] = now
    if any(changes[name] != getattr(assignment, name) for name in PROGRESS_FIELDS & changes.keys()):
        changes["progressed_at"] = now
    for field, value in changes.items():
        setattr(assignment, field, value)
    if target in states.LIVE:
        assignment.deadline_at = deadline(assignment, now)
    assignment.save(update_fields=[*changes, "deadline_at"])
