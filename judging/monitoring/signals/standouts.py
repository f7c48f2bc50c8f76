"""Workers who are worth a look: where one has far more of something than all the others.

Every rule counts something, x of n, of one worker and of all others together, and asks how likely
x or more would be if this worker were like the others: a one-sided binomial tail. What is less
likely than 0.01 over four looks at all comparisons is listed (Bonferroni), if it is at least twice
as frequent as among the others: were all workers alike, one list in a hundred would hold a name.
Workers are not all alike, so a name is never a verdict.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from judging.models import Study
from judging.monitoring.kept import once_a_revision
from judging.monitoring.seconds import Reading
from judging.monitoring.signals.repeated_judgments import (
    favourites,
    flat_units,
    judgments,
    repeated,
)
from judging.monitoring.tries import Check, Tally
from judging.monitoring.words import one_in, percent

FAMILY = 0.01  # the chance of any name at all, were all workers alike
LOOKS = 4  # each is looked at again while numbers grow, as at 2, 3, 5 and 10 units
TIMES = 2  # at least so many times as often as the others
OTHERS = 20  # tries of the others: with fewer nothing is compared
PASTED = "pasted"
FASTEST = 0.05  # of all documents: the fastest twentieth


@dataclass(frozen=True)
class Counts:
    """What one rule counts: x of n for each worker, and what is said of one who has too many."""

    rule: str
    says: str  # with x, n, others
    workers: NDArray[np.int64]
    x: NDArray[np.int64]
    n: NDArray[np.int64]
    least: int  # x: with fewer nobody is listed
    share: float = 0.0  # x / n: the same


@dataclass(frozen=True)
class Reason:
    """Why a worker is worth a look, in words and numbers."""

    rule: str
    words: str
    chance: float

    @property
    def one_in(self) -> str:
        return one_in(self.chance)


@dataclass(frozen=True)
class StandOut:
    """A worker and the reasons to look at their work, the strongest first."""

    worker: Tally
    reasons: list[Reason]
    often: str = ""  # a justification that they repeat, and how often


def worth_a_look(study: Study, workers: list[Tally], read: Reading) -> list[StandOut]:
    """The workers who stand out by any rule, the least likely first."""
    reasons_of = reasons([*_failing(workers), *_quick(read), *_alike(study)])
    pasting = [key for key, own in reasons_of.items() if any(why.rule == PASTED for why in own)]
    often = favourites(pasting) if pasting else {}
    standing_out = [
        StandOut(worker, reasons_of[worker.key], often.get(worker.key, ""))
        for worker in workers
        if worker.key in reasons_of
    ]
    return sorted(standing_out, key=lambda listed: (listed.reasons[0].chance, listed.worker.name))


def reasons(rules: list[Counts]) -> dict[int, list[Reason]]:
    """For each worker who stands out the reasons, by the worker's key."""
    limit = FAMILY / LOOKS / max(1, sum(int((rule.n > 0).sum()) for rule in rules))
    reasons_of: dict[int, list[Reason]] = {}
    for rule in rules:
        chances, others = chance(rule.x, rule.n)
        enough = (rule.x >= rule.least) & (rule.x >= rule.share * rule.n)
        enough &= rule.x >= TIMES * others * rule.n
        for place in np.flatnonzero(enough & (chances < limit)):
            x, n, rate = rule.x[place], rule.n[place], percent(float(others[place]))
            why = Reason(rule.rule, rule.says.format(x=x, n=n, others=rate), float(chances[place]))
            reasons_of.setdefault(int(rule.workers[place]), []).append(why)
    return {key: sorted(own, key=lambda why: why.chance) for key, own in reasons_of.items()}


def chance(
    x: NDArray[np.int64], n: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How likely each x or more of n is at the rate of all others, and that rate.

    Half a success and half a failure are added to the others, so that what none of them did is
    rare, not impossible. 1 where the others have too few tries to say anything.
    """
    rest_x, rest_n = x.sum() - x, n.sum() - n
    rate = (rest_x + 0.5) / (rest_n + 1)
    tail = np.where(x > 0, bdtrc(np.maximum(x - 1, 0), np.maximum(n, 1), rate), 1.0)
    shown = np.divide(rest_x, rest_n, out=np.zeros(len(x)), where=rest_n > 0)
    return np.where(rest_n >= OTHERS, tail, 1.0), shown


def _failing(workers: list[Tally]) -> list[Counts]:
    """Far more failures of a check than the others have in as many tries."""
    keys = np.array([worker.key for worker in workers], dtype=np.int64)
    table = np.array(
        [[(rate.failures, rate.tries) for rate in worker.rates] for worker in workers],
        dtype=np.int64,
    ).reshape(len(workers), len(Check), 2)
    return [
        Counts(
            check.value,
            f"failed {check.label} {{x}} times in {{n}} tries (others: {{others}})",
            keys,
            table[:, place, 0],
            table[:, place, 1],
            least=3,
        )
        for place, check in enumerate(Check)
    ]


def _quick(read: Reading) -> list[Counts]:
    """Most documents read as fast as the fastest twentieth of all documents."""
    if not len(read.seconds):
        return []
    limit = float(np.quantile(read.seconds, FASTEST))
    keys, x, n = per_worker(read.workers, read.seconds < limit)
    says = f"read {{x}} of {{n}} documents in under {limit:.0f} s (others: {{others}})"
    return [Counts("quick", says, keys, x, n, least=3, share=0.5)]


def _alike(study: Study) -> list[Counts]:
    """The same score on nearly all documents of a unit; the same justification again and again."""
    return once_a_revision(study, "alike", lambda: _counted_alike(study))


def _counted_alike(study: Study) -> list[Counts]:
    judged = judgments(study)
    if not len(judged.workers):
        return []
    return [
        Counts(
            "flat",
            "gave all documents but one the same score in {x} of {n} units (others: {others})",
            *per_worker(*flat_units(judged.workers, judged.units, judged.scores)),
            least=2,
        ),
        Counts(
            PASTED,
            "gave {x} of {n} reasons in words used before (others: {others})",
            *per_worker(judged.workers, repeated(judged.workers, judged.words)),
            least=3,
            share=0.5,
        ),
    ]


def per_worker(
    workers: NDArray[np.int64], marked: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Each worker, how many of their things are marked, and how many they have."""
    keys, places = np.unique(workers, return_inverse=True)
    x = np.bincount(places[marked], minlength=len(keys))
    return keys, x, np.bincount(places, minlength=len(keys))
