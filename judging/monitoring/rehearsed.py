from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from judging.models import Comment, Study, Worker
from judging.monitoring.one_worker import Attempt, newest_attempts
from judging.monitoring.words import duration as in_words
from judging.states import State

MAX_ATTEMPTS = 200  # attempts that are shown


@dataclass
class Person:
    """Attempts are newest first, comments oldest first."""

    worker: Worker
    attempts: list[Attempt] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)


@dataclass(frozen=True)
class Duration:
    """The median minutes of so many completed sets; hourly: what one pays in an hour, if any."""

    minutes: float
    sets: int
    hourly: Decimal | None

    @property
    def words(self) -> str:
        return in_words(60 * self.minutes)


def people(rehearsal: Study, now: datetime) -> list[Person]:
    by_worker: dict[int, Person] = {}
    for attempt in newest_attempts(rehearsal, now, MAX_ATTEMPTS):
        worker = attempt.assignment.worker
        by_worker.setdefault(worker.pk, Person(worker)).attempts.append(attempt)
    for comment in Comment.objects.filter(worker__in=by_worker).order_by("at"):
        by_worker[comment.worker_id].comments.append(comment)
    return list(by_worker.values())


def duration(study: Study, persons: Iterable[Person]) -> Duration | None:
    """None: no set was completed; study: the one that is rehearsed, whose pay counts."""
    assignments = [attempt.assignment for person in persons for attempt in person.attempts]
    hours = [
        (row.finished_at - row.started_at).total_seconds() / 3600
        for row in assignments
        if row.state == State.COMPLETED and row.finished_at
    ]
    if not hours:
        return None
    usual = median(hours)
    return Duration(60 * usual, len(hours), _hourly(study, usual))


def _hourly(study: Study, hours: float) -> Decimal | None:
    if not (study.payment and hours):
        return None
    return (study.payment / Decimal(hours)).quantize(Decimal("0.01"), ROUND_HALF_UP)
