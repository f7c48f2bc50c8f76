"""Measures by how many pairs of systems differ, by several tests.

Of the analysis `power` (the paper on time-biased gain, Table 2).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import OnProgress, tracked
from evaluation.analyses.question import Question
from evaluation.study import scoring
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.bootstrap import bootstrap
from magnitudes.comparison.discrimination import (
    Power,
    discriminative_power,
    p_of_more_power,
    significance_curve,
)
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.pairs import PairTests
from magnitudes.comparison.random_signs import random_signs
from magnitudes.comparison.top_set import LEVEL
from magnitudes.comparison.tukey import tukey_hsd
from magnitudes.measures.names import Measure, MeasureNameError, parse, short

MORE = ("P", "AP", "RBP", "RR", "nERR", "P+")
PAIRED_T = "paired t"
TESTS: Mapping[str, Callable[[Floats, int], PairTests]] = {
    PAIRED_T: lambda values, seed: paired_t(values),
    "randomisation": lambda values, seed: random_signs(values, seed=seed),
    "bootstrap": lambda values, seed: bootstrap(values, seed=seed),
}
CURVE = "bootstrap"  # the test whose p are drawn


class Tested(NamedTuple):
    """One measure: the power of each test by name, Tukey's, and the curve that is drawn."""

    measure: Measure
    powers: dict[str, Power]
    tukey: Power
    curve: Floats
    values: Floats  # (topics, systems)
    reasons: frozenset[str]  # why a pair was not tested

    @property
    def known(self) -> dict[str, Power]:
        """By the tests that could test a pair."""
        return {name: power for name, power in self.powers.items() if power.tested}

    @property
    def mean(self) -> float:
        return float(np.mean([power.share for power in self.known.values()]))

    @property
    def by_t(self) -> Power:
        return self.powers[PAIRED_T]


class Results(NamedTuple):
    """Measures that could test a pair, the most powerful first.

    reasons: why pairs, faults: why measures were not tested. more: the pair of which it is surest
    that one has more power.
    """

    tests: list[Tested]
    reasons: list[str]
    faults: list[str]
    more: tuple[Tested, Tested] | None


def measures(data: StudyData) -> list[Measure]:
    """Those that systems are ranked by, and others; with the threshold of a study of magnitudes."""
    more = [scoring.to_cutoff(name, data.study) for name in MORE]
    return [
        *scoring.measures(data.study),
        *(more if data.study.is_graded else (by.in_study() for by in more)),
    ]


def compute(data: StudyData, on_progress: OnProgress, asked: Question) -> Results:
    every = measures(data)
    if asked.measure and parse(asked.measure) not in every:
        every.append(parse(asked.measure))
    tests, faults = [], []
    for measure in tracked(every, on_progress):
        try:
            by, measured = scoring.measured(data, measure, asked.gains)
            tests.append(_tested(by, measured.values, data.seed))
        except MeasureNameError as fault:
            faults.append(f"{short(fault.text)} {fault.fault}")
    known = sorted((tested for tested in tests if tested.known), key=lambda one: -one.mean)
    reasons = sorted({reason for tested in known or tests for reason in tested.reasons})
    return Results(known, reasons, faults, _more(known, data.seed))


def _more(tests: list[Tested], seed: int) -> tuple[Tested, Tested] | None:
    """Two measures of which one has more power, if that is sure of any, for so many."""
    if len(tests) < 2 or len({one.values.shape for one in tests}) > 1:
        return None
    p = p_of_more_power([one.values for one in tests], seed)
    pairs = len(tests) * (len(tests) - 1) // 2
    one, other = np.unravel_index(p.argmin(), p.shape)
    return (tests[one], tests[other]) if p[one, other] * pairs < LEVEL else None


def _tested(measure: Measure, values: Floats, seed: int) -> Tested:
    tests = {name: test(values, seed) for name, test in TESTS.items()}
    return Tested(
        measure,
        {name: discriminative_power(test.p) for name, test in tests.items()},
        discriminative_power(tukey_hsd(values, seed=seed).p),
        significance_curve(tests[CURVE].p),
        values,
        frozenset(test.reason for test in tests.values()) - {""},
    )
