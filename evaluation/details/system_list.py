"""The systems of a ranking, with what is known of their differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from evaluation import pipeline
from evaluation.analyses.question import USUAL, Question
from evaluation.cache import stored
from evaluation.publishing import named_gains
from judging.models import Study
from magnitudes.comparison.significant_pairs import SignificantPairs
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.comparison.tukey import N_RESAMPLES
from magnitudes.measures.names import parse

Ranking = dict[str, Any]  # as `results.as_ranking` makes it
TEST = "significance"  # the analysis that compares all pairs of systems


@dataclass(frozen=True)
class System:
    """A place in a ranking; the interval is empty where there is none, and cut at what can be."""

    rank: int
    run: str
    mean: float
    low: float | None
    high: float | None
    is_cut: bool
    judged: float | None
    missing_topics: int
    below_best: float
    differs: bool | None  # from the best; None: not tested

    def compared(self, critical: float) -> "System":
        """With a bar of half the critical difference to both sides: two differ if theirs do not
        meet.
        """
        half = critical / 2
        return replace(self, low=self.mean - half, high=self.mean + half, is_cut=False)


@dataclass(frozen=True)
class Test:
    """What the randomised Tukey test says of all pairs of a ranking, if it is computed.

    critical: a difference of more than this is significant; None: nothing can be said.
    told: what a headline needs, where the test is of this measure alone. is_early: too much of
    the study is still to be done for any difference to be shown.
    """

    critical: float | None
    told: SignificantPairs | None
    waits: bool
    fault: str
    n_resamples: int = N_RESAMPLES
    seed: int | None = None
    is_early: bool = False
    old: datetime | None = None  # when it was computed, if data have changed since

    def differ(self, one: float, other: float) -> bool | None:
        return None if self.critical is None else abs(one - other) > self.critical


UNTESTED = Test(None, None, waits=False, fault="")


def test_of(
    study: Study, ranking: Ranking, label_set: str, now: datetime, versions: Mapping[str, str]
) -> Test:
    """The test of the ranking's measure and gains, after asking for it where it is missing.

    versions: those of the study's analyses.
    """
    if not ranking["results"]:
        return Test(None, None, waits=False, fault="there is no system")
    measure, gains = ranking["measure"], ranking["gains"]
    usual = gains == named_gains.usual(study)
    question = (
        USUAL
        if usual and measure in pipeline.measures(study)
        else Question(measure, "" if usual else gains)
    )
    (cached,) = stored.get_or_request(
        *(study, [TEST], label_set, now, {TEST: question}), findings_alone=True, current=versions
    )
    numbers = cached.row.numbers
    critical = numbers.get(f"critical_{parse(measure).name}")
    if ranking["topics"] < LEAST_TOPICS:
        critical = None
    is_first = question != USUAL or measure in pipeline.measures(study)[:1]
    told = (
        SignificantPairs.read(numbers["told_apart"])
        if is_first and "told_apart" in numbers
        else None
    )
    again = numbers and is_first and told is None and stored.compute_again(cached.row, now)
    return Test(
        *(critical, told, cached.waits and (again or not numbers), cached.row.fault),
        seed=numbers.get("told_apart", {}).get("seed"),
        old=None if cached.current else cached.row.computed_at,
    )


def systems(ranking: Ranking, test: Test) -> list[System]:
    """The systems of a ranking, best first."""
    results = ranking["results"]
    best = results[0]["mean"] if results else 0.0
    return [
        System(
            *(row["rank"], row["run"], row["mean"]),
            *possible(row["low"], row["high"], ranking["topics"], row["mean"]),
            *(row["judged"], row["missing_topics"]),
            *(best - row["mean"], test.differ(best, row["mean"])),
        )
        for row in results
    ]


def possible(
    low: float | None, high: float | None, topics: int, mean: float
) -> tuple[float | None, float | None, bool]:
    """An interval cut at what is possible, and whether it was: none of few topics.

    A measure whose mean is no larger than 1 is taken for one that never is.

    >>> possible(-0.1, 0.3, 12, 0.1), possible(0.1, 0.3, 4, 0.2)
    ((0.0, 0.3, True), (None, None, False))
    """
    if low is None or high is None or topics < LEAST_TOPICS:
        return None, None, False
    most = 1.0 if mean <= 1 else high
    cut_low, cut_high = max(low, 0.0), min(high, most)
    return cut_low, cut_high, (cut_low, cut_high) != (low, high)


def like_best(systems: Sequence[System]) -> int:
    """How many of the other systems do not differ significantly from the best."""
    return sum(system.differs is False for system in systems[1:])
