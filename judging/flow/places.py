"""How many people a study takes: in all, within an hour, and within a day.

A worker has a place in a study while they have a unit in progress, and for good once they are paid
for one. Whoever stops or fails gives the place back. Artificial workers have a clock of their own,
so the limits within an hour and a day do not apply to them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, Exists, Min, OuterRef, Q

from judging.models import Assignment, Study
from judging.models.assignment import AssignmentQuerySet

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Entrant(NamedTuple):
    """since: when the first unit that counts began; is_visitor: see `visitor_assignments`."""

    since: datetime
    simulated: bool
    is_paid: bool
    is_visitor: bool


@dataclass(frozen=True)
class Limit:
    """At most so many people within a window of time; without one, in all."""

    maximum: int
    window: timedelta | None = None

    def counted(self, entrants: Iterable[Entrant], now: datetime) -> list[Entrant]:
        if self.window is None:
            return list(entrants)
        begin = now - self.window
        return [entrant for entrant in entrants if entrant.since > begin and not entrant.simulated]

    def next_place(self, counted: list[Entrant]) -> datetime | None:
        """When time alone gives a place to somebody else; None: never, or there is one."""
        if self.window is None or len(counted) < self.maximum:
            return None
        begun = sorted(entrant.since for entrant in counted)
        return begun[len(counted) - self.maximum] + self.window


def limits_of(study: Study) -> list[Limit]:
    windows = (
        (study.most_workers, None),
        (study.newcomers_an_hour, HOUR),
        (study.newcomers_a_day, DAY),
    )
    return [Limit(maximum, window) for maximum, window in windows if maximum is not None]


def entrants_of(study: Study) -> list[Entrant]:
    visiting = Q(pk__in=visitor_assignments(study).values("pk"))
    workers = Assignment.objects.with_place().filter(study=study).values("worker")
    rows = workers.annotate(
        since=Min("started_at"),
        paid=Count("completion_code"),
        visiting=Count("pk", filter=visiting),
    ).values_list("since", "worker__simulated", "paid", "visiting")
    return [Entrant(since, simulated, bool(paid), bool(n)) for since, simulated, paid, n in rows]


def visitor_assignments(study: Study) -> AssignmentQuerySet:
    """Live assignments of unverified, never paid workers who have not sent a document yet."""
    paid = Assignment.objects.paid().filter(worker=OuterRef("worker"))
    before = Assignment.objects.before_judgment().filter(study=study, worker__verified=False)
    return before.exclude(Exists(paid))


class LimitUsage(NamedTuple):
    people: int
    within_an_hour: int
    within_a_day: int


def limit_usage(study: Study, now: datetime) -> LimitUsage:
    entrants = entrants_of(study)
    hour, day = (len(Limit(0, window).counted(entrants, now)) for window in (HOUR, DAY))
    return LimitUsage(len(entrants), hour, day)


def may_admit_visitor(occupied: int, available: int) -> bool:
    """Whether one more visitor may have a unit or a place before the first document is sent.

    Visitors occupy at most half, and at least one, of what is `available` (neither completed nor in
    judging, theirs included): so nobody can block a study by opening pages.
    """
    return occupied < max(1, available // 2)
