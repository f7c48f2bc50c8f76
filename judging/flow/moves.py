from datetime import datetime, timedelta
from typing import Any

from judging import states
from judging.flow.reading import OF_WORKER, read_assignment
from judging.models import Assignment, Study
from judging.states import Actor, State
from web.database import rows

# How often the time of a unit is renewed without progress. WCAG 2.2.1 wants ten times at least.
MAX_RENEWALS = 10
PROGRESS_FIELDS = {
    *("state", "practice_step", "wrong_answers", "position", "furthest", "failed_finishes"),
}
LOCK = "FOR NO KEY UPDATE OF assignment"


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


def lock_live(token: str, *in_states: State) -> Assignment | None:
    """Locked until the transaction ends; in_states: by default all live ones."""
    condition = f"assignment.token = %s AND assignment.state = ANY(%s) {LOCK}"
    return read_assignment(condition, token, list(in_states or states.LIVE))


def lock_at_documents(slug: str, pseudonym: str) -> Assignment | None:
    condition = f"{OF_WORKER} AND assignment.state = ANY(%s) {LOCK}"
    return read_assignment(condition, slug, pseudonym, list(states.AT_DOCUMENTS))


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
    rows.update(assignment, [*changes, "deadline_at"])
