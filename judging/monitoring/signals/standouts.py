"""Workers who stand out: where one has far more of something than all the others.

Every rule counts something, x of n, of one worker and of all others together, and computes how
likely x or more would be if this worker were like the others: a one-sided binomial tail. It is
computed when a worker has judged 10, 20, 40 and 80 documents (see `interim`). What is less likely
than 0.01 over four interim analyses of all comparisons is listed (Bonferroni), if at least twice as
frequent as among the others: were all workers alike, one study in a hundred would ever list a name.
Workers are not all alike, so a name is never a verdict.

Plain flags (`plain_flags`) stand beside them from a worker's first unit on.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when they are used
from numpy.typing import NDArray

from judging.models import Study
from judging.monitoring.attempts import Attempts, Check
from judging.monitoring.cache import cached_per_revision
from judging.monitoring.seconds import Reading
from judging.monitoring.signals.interim import INTERIM, Interim, InterimCounts
from judging.monitoring.signals.plain_flags import plain_flags
from judging.monitoring.signals.repeated_judgments import (
    Judgments,
    flat_units,
    judgments,
    most_frequent,
    repeats,
)
from judging.monitoring.tries import Tally
from judging.monitoring.words import one_in, percent

ALPHA = 0.01  # the chance of any name at all, were all workers alike
MIN_RATIO = 2  # at least so many times as often as the others
MIN_OTHERS = 20  # tries of the others: with fewer nothing is compared
PASTED = "pasted"
FASTEST_SHARE = 0.05  # of all documents: the fastest twentieth


@dataclass(frozen=True)
class Counts:
    """What one rule counts: x of n for each worker, and a sentence for one who has too many."""

    rule: str
    template: str  # with x, n, others
    seen: InterimCounts
    min_x: int  # x: with fewer nobody is listed
    min_share: float = 0.0  # x / n: the same


@dataclass(frozen=True)
class Reason:
    rule: str
    words: str
    chance: float | None = None  # None: a plain flag, which is compared with nothing

    @property
    def one_in(self) -> str:
        return "" if self.chance is None else one_in(self.chance)

    @property
    def sort_key(self) -> float:
        """What is less likely comes first, and plain flags last."""
        return 1.0 if self.chance is None else self.chance


@dataclass(frozen=True)
class StandOut:
    worker: Tally
    reasons: list[Reason]
    often: str = ""  # a justification that they repeat, and how often


def find_standouts(
    study: Study, workers: list[Tally], made: Attempts, read: Reading
) -> list[StandOut]:
    """The least likely first; made: by nobody excluded."""
    interim = Interim(made.keys, made.workers, made.documents)

    def alike() -> tuple[list[Counts], dict[int, dict[str, str]]]:
        judged = judgments(study)
        return _alike(judged, interim), plain_flags(study, judged)

    repeated, flags_of = cached_per_revision(study, "alike", alike)
    reasons_of = reasons([*_failing(made, interim), *_quick(read, interim), *repeated])
    for key, flags in flags_of.items():
        plain = [Reason(rule, words) for rule, words in flags.items()]
        reasons_of.setdefault(key, []).extend(plain)
    pasting = [key for key, own in reasons_of.items() if any(r.rule == PASTED for r in own)]
    often = most_frequent(pasting) if pasting else {}
    standouts = [
        StandOut(worker, reasons_of[worker.key], often.get(worker.key, ""))
        for worker in workers
        if worker.key in reasons_of
    ]
    return sorted(standouts, key=lambda listed: (listed.reasons[0].sort_key, listed.worker.name))


def reasons(rules: list[Counts]) -> dict[int, list[Reason]]:
    compared = sum(int((rule.seen.all_n > 0).sum()) for rule in rules)
    limit = ALPHA / len(INTERIM) / max(1, compared)
    reasons_of: dict[int, list[Reason]] = {}
    for rule in rules:
        seen, (chances, others) = rule.seen, interim_chances(rule.seen)
        enough = (seen.x >= rule.min_x) & (seen.x >= rule.min_share * seen.n)
        enough &= seen.x >= MIN_RATIO * others[:, None] * seen.n
        # It ends when what came since is not so frequent any more.
        enough &= (seen.all_x >= MIN_RATIO * others * seen.all_n)[:, None]
        chances = np.where(enough, chances, 1.0)
        for index in np.flatnonzero((chances < limit).any(axis=1)):
            at = int(chances[index].argmin())
            x, n, rate = seen.x[index, at], seen.n[index, at], percent(float(others[index]))
            lowest = float(chances[index, at])
            seen_then = rule.template.format(x=x, n=n, others=rate)
            words = f"{seen_then}, as counted at {INTERIM[at]} documents"
            reason = Reason(rule.rule, words, lowest)
            reasons_of.setdefault(int(seen.workers[index]), []).append(reason)
    return {key: sorted(own, key=lambda reason: reason.sort_key) for key, own in reasons_of.items()}


def interim_chances(seen: InterimCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How likely each x or more of n is at the rate of all others, at each interim; and that rate.

    Half a success and half a failure are added to the others, so that what none of them did is
    rare, not impossible. 1 where the others have too few tries to say anything.
    """
    rest_x, rest_n = seen.all_x.sum() - seen.all_x, seen.all_n.sum() - seen.all_n
    rate = ((rest_x + 0.5) / (rest_n + 1))[:, None]
    x, n = np.maximum(seen.x - 1, 0), np.maximum(seen.n, 1)
    tail = scipy.special.bdtrc(x, n, rate).astype(np.float64)
    chances = np.where((seen.x > 0) & (rest_n >= MIN_OTHERS)[:, None], tail, 1.0)
    return chances, np.divide(rest_x, rest_n, out=np.zeros(len(rest_n)), where=rest_n > 0)


def _failing(made: Attempts, interim: Interim) -> list[Counts]:
    tries = (made.practised, made.answers, made.presses, made.presses)
    return [
        Counts(
            check.value,
            f"failed {check.label} {{x}} times in {{n}} tries (others: {{others}})",
            interim.counts(made.keys, failed, tried),
            min_x=3,
        )
        for check, tried, failed in zip(Check, tries, made.failed, strict=True)
    ]


def _quick(read: Reading, interim: Interim) -> list[Counts]:
    """Most documents read as fast as the fastest twentieth of all documents."""
    if not len(read.seconds):
        return []
    limit = float(np.quantile(read.seconds, FASTEST_SHARE))
    template = f"read {{x}} of {{n}} documents in under {limit:.0f} s (others: {{others}})"
    return [
        Counts(
            "quick", template, _marked(interim, read.units, read.seconds < limit), 3, min_share=0.5
        )
    ]


def _alike(judged: Judgments, interim: Interim) -> list[Counts]:
    if not len(judged.workers):
        return []
    _, flat = flat_units(judged.workers, judged.units, judged.scores)
    return [
        Counts(
            "flat",
            "gave all documents but one the same score in {x} of {n} units (others: {others})",
            _marked(interim, np.unique(judged.units), flat),
            min_x=2,
        ),
        Counts(
            PASTED,
            "gave {x} of {n} reasons in words used before (others: {others})",
            _marked(interim, judged.units, repeats(judged.workers, judged.words)),
            min_x=3,
            min_share=0.5,
        ),
    ]


def _marked(interim: Interim, units: NDArray[np.int64], marks: NDArray[np.bool_]) -> InterimCounts:
    return interim.counts(units, marks.astype(np.int64), np.ones(len(units), dtype=np.int64))
