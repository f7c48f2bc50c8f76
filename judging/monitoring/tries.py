import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce

from judging.models import Assignment, CheckFailure, Study
from judging.states import PAID, State
from web.text import natural

Check = CheckFailure.Check
CHECKS = tuple(check.value for check in Check)
# (a) is made when an attempt comes to the last line, (b) whenever the question is answered, (c) and
# (d) at every press of Finish: each that failed, and the one that completed the unit.
PRACTISED = Q(practice_step=F("lines__len"))
WRONG_ANSWERS = Coalesce(Sum("wrong_answers"), 0)
ANSWERS = WRONG_ANSWERS + Count("id", filter=Q(furthest__gt=0))
PRESSED = Coalesce(Sum("failed_finishes"), 0) + Count("id", filter=Q(state__in=PAID))
TRIES: dict[str, Any] = {
    Check.LINES: Count("id", filter=PRACTISED),
    Check.QUESTION: ANSWERS,
    "pressed": PRESSED,
}
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


def by_topic(study: Study) -> list[Tally]:
    topics = study.topics.select_related("topic").order_by("topic__query_id")
    names = {t.pk: {"name": t.topic.query_id, "title": t.topic.title} for t in topics}
    return _tallies(study, "study_topic", names)


def by_worker(study: Study) -> list[Tally]:
    workers = study.workers.order_by("pk").values_list(
        "pk", "pseudonym", "simulated", "excluded_at"
    )
    names = {
        key: {"name": name, "simulated": simulated, "excluded": excluded_at is not None}
        for key, name, simulated, excluded_at in workers
    }
    return _tallies(study, "worker", names)


def _tallies(study: Study, by: str, names: dict[int, dict[str, Any]]) -> list[Tally]:
    # Failures are read first: whatever happens meanwhile, there are no more of them than of tries.
    columns = {check: Count("id", filter=Q(check_name=check)) for check in CHECKS}
    failed = CheckFailure.objects.filter(assignment__study=study)
    failures = {
        row["key"]: row for row in failed.values(key=F(f"assignment__{by}")).annotate(**columns)
    }
    attempts = (
        Assignment.objects.filter(study=study)
        .values(key=F(by))
        .annotate(
            attempts=Count("id"), completed=Count("id", filter=Q(state=State.COMPLETED)), **TRIES
        )
    )
    tried = {row["key"]: row for row in attempts}
    return [
        Tally(
            key,
            **name,
            attempts=tried[key]["attempts"] if key in tried else 0,
            completed=tried[key]["completed"] if key in tried else 0,
            rates=_rates(failures.get(key, {}), tried.get(key, {})),
        )
        for key, name in names.items()
    ]


def _rates(failures: Mapping[str, Any], tries: Mapping[str, Any]) -> tuple[Rate, ...]:
    pressed = tries.get("pressed", 0)
    return tuple(Rate(failures.get(check, 0), tries.get(check, pressed)) for check in CHECKS)


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
