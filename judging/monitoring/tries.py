import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from judging.models import Study
from judging.monitoring.attempts import CHECKS, Attempts, Check, Numbers, attempts
from web.text import natural

WRONG_ANSWERS = Coalesce(Sum("wrong_answers"), 0)
ANSWERS = WRONG_ANSWERS + Count("id", filter=Q(furthest__gt=0))
TRY_NAMES = ("attempts that came to the last line", "answers", *["presses of Finish"] * 2)
Z_95 = 1.959964  # of a standard normal's 95%


class Rate(NamedTuple):
    """Failures in so many tries, with Wilson's 95% interval."""

    failures: int
    tries: int

    @property
    def share(self) -> float | None:
        return self.failures / self.tries if self.tries else None

    @property
    def percent(self) -> str:
        return f"{100 * self.failures / self.tries:.1f}%" if self.tries else "–"

    @property
    def between(self) -> str:
        if self.interval is None:
            return "–"
        low, high = self.interval
        return f"{100 * low:.1f}% to {100 * high:.1f}%"

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's (Journal of the American Statistical Association, 1927).

        >>> [round(end, 3) for end in Rate(2, 20).interval]
        [0.028, 0.301]
        """
        if not self.tries:
            return None
        n, z2 = self.tries, Z_95**2
        share = self.failures / n
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        margin = Z_95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
        return max(0.0, middle - margin), min(1.0, middle + margin)


class Tally(NamedTuple):
    key: int
    name: str
    title: str = ""
    simulated: bool = False
    excluded: bool = False  # of a worker: no computation takes the scores
    attempts: int = 0
    completed: int = 0
    rates: tuple[Rate, ...] = ()  # in the order of the checks

    @property
    def failures(self) -> int:
        return sum(rate.failures for rate in self.rates)


@dataclass(frozen=True)
class CheckTotals:
    name: str
    label: str
    rate: Rate
    tries_are: str  # what counts as one
    workers: int
    topics: int


def by_topic(study: Study, made: Attempts | None = None) -> list[Tally]:
    topics = study.topics.select_related("topic").order_by("topic__query_id")
    names = {t.pk: {"name": t.topic.query_id, "title": t.topic.title} for t in topics}
    made = made or attempts(study)
    return _tallies(names, made.topics, made)


def by_worker(study: Study, made: Attempts | None = None) -> list[Tally]:
    workers = study.workers.order_by("pk").values_list(
        "pk", "pseudonym", "simulated", "excluded_at"
    )
    names = {
        key: {"name": name, "simulated": simulated, "excluded": excluded_at is not None}
        for key, name, simulated, excluded_at in workers
    }
    made = made or attempts(study)
    return _tallies(names, made.workers, made)


def _tallies(names: Mapping[int, Mapping[str, Any]], of: Numbers, made: Attempts) -> list[Tally]:
    """of: the key of each attempt."""
    keys = np.array([*names], dtype=np.int64)
    order = keys.argsort()
    places = order[np.searchsorted(keys, of, sorter=order)]

    def sums(values: NDArray[Any]) -> list[int]:
        counts: list[int] = np.bincount(places, values, len(keys)).astype(np.int64).tolist()
        return counts

    totals = [sums(np.ones(len(of))), sums(made.documents > 0)]
    pressed = sums(made.presses)
    tries = (sums(made.practised), sums(made.answers), pressed, pressed)
    rates = [map(Rate, sums(x), n) for x, n in zip(made.failed, tries, strict=True)]
    rows = zip(names.items(), *totals, zip(*rates, strict=True), strict=True)
    return [
        Tally(key, **name, attempts=tried, completed=completed, rates=own)
        for (key, name), tried, completed, own in rows
    ]


def by_check(topics: Iterable[Tally], workers: Iterable[Tally]) -> list[CheckTotals]:
    checks = []
    of_topics, of_workers = ([t.rates for t in tallies] for tallies in (topics, workers))
    for index, check in enumerate(Check):
        rates = [rates[index] for rates in of_topics]
        checks.append(
            CheckTotals(
                check.value,
                check.label,
                Rate(sum(r.failures for r in rates), sum(r.tries for r in rates)),
                TRY_NAMES[index],
                sum(rates[index].failures > 0 for rates in of_workers),
                sum(rate.failures > 0 for rate in rates),
            )
        )
    return checks


ORDERS = ("name", "all", *CHECKS)


def ordered(tallies: list[Tally], by: str) -> list[Tally]:
    """By name, by the number of failures, or by one check's share of failures; most first."""
    if by == "name":
        return sorted(tallies, key=lambda tally: natural(tally.name))
    if by in CHECKS:
        index = CHECKS.index(by)
        return sorted(tallies, key=lambda t: (-(t.rates[index].share or 0), -t.failures, t.name))
    return sorted(tallies, key=lambda tally: (-tally.failures, tally.name))
