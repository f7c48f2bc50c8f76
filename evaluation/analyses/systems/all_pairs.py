"""All pairs of a study's systems, tested at once by one measure.

Of the analysis `significance` (section 5 of the paper on unanimity).
"""

from typing import NamedTuple

import numpy as np

from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Table, dashes
from evaluation.study import scoring
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.comparison.significant_pairs import SignificantPairs, significant_pairs
from magnitudes.comparison.top_set import LEAST_TOPICS, LEVEL
from magnitudes.comparison.tukey import Tukey, critical_difference, tukey_hsd
from magnitudes.measures.names import Measure

SOURCE = "of Sakai, EVIA 2017"
SETS = "no significant difference", "differs from the best"
PLACES = "place", "system", "mean", "better", "worse", "worse_from", "p_best", "effect_best"


class Tested(NamedTuple):
    """Systems by one measure, best first, and the pairs that differ, farthest apart first.

    low, high of a system: half a critical difference to both sides of its mean. better, worse: how
    many systems are better and worse than it. like_best: how many systems do not differ
    significantly from the best, itself among them. critical: NaN where nothing can be tested.
    """

    measure: Measure
    systems: Frame
    pairs: Frame
    critical: float
    like_best: int
    told: SignificantPairs
    reason: str  # why effects have no size, or nothing can be tested; or empty

    @property
    def slug(self) -> str:
        """The measure's name in addresses."""
        return self.measure.name.lower().replace("+", "-plus")

    @property
    def is_enough(self) -> bool:
        """Whether topics are enough to say which systems differ."""
        return self.told.topics >= LEAST_TOPICS

    @property
    def too_few(self) -> str:
        return (
            f"Too few topics to say which systems differ: {self.told.topics}, and it takes "
            f"{LEAST_TOPICS}"
        )


def tested(data: StudyData, measure: Measure, gains: str) -> Tested:
    """Randomised Tukey HSD of all systems with the gains of a name, or the usual ones."""
    by, (values, judged) = scoring.measured(data, measure, gains)
    order = np.argsort(competition_ranks(values.mean(axis=0)), kind="stable")
    means, values = values.mean(axis=0)[order], values[:, order]
    runs = [data.runs[run] for run in order.tolist()]
    test = tukey_hsd(values, seed=data.seed)
    critical, like_best = critical_difference(test), int((test.p[0] >= LEVEL).sum())
    share = float(np.nanmean(judged)) if np.isfinite(judged).any() else None
    told = significant_pairs(values, runs, test, share)
    systems = _systems(runs, means, test, critical)
    sets = np.arange(len(runs)) < (like_best if told.topics >= LEAST_TOPICS else len(runs))
    systems = systems.with_columns(set=np.where(sets, *SETS))
    return Tested(by, systems, _pairs(str(by), runs, test), critical, like_best, told, test.reason)


def _systems(runs: list[str], means: Floats, test: Tukey, critical: float) -> Frame:
    is_worse = (test.p < LEVEL) & (test.difference > 0)  # the system of the column than the row's
    note = (
        f"better, worse: how many systems are better and worse than this one, p < {LEVEL}; "
        "worse from place: where the first worse one stands, if any. p, effect: against the best. "
        "Equal means share no place: they stand in the order of the runs."
    )
    first_worse = [int(row.argmax()) + 1 if row.any() else None for row in is_worse]
    return Frame.of(
        place=np.arange(1, len(runs) + 1),
        system=runs,
        mean=means,
        low=means - critical / 2,
        high=means + critical / 2,
        better=Column(is_worse.sum(axis=0), note=note),
        worse=is_worse.sum(axis=1),
        worse_from=Column(first_worse, head="worse from place"),
        p_best=Column(test.p[0], head="p against the best"),
        effect_best=Column(test.effect[0], head="effect against the best"),
    )


def _pairs(measure: str, runs: list[str], test: Tukey) -> Frame:
    better, worse = np.nonzero(np.triu(test.p < LEVEL, 1))
    names = np.array(runs, dtype=object)
    return Frame.of(
        measure=[measure] * len(better),
        better=names[better],
        worse=names[worse],
        difference=test.difference[better, worse],
        p=test.p[better, worse],
        effect_size=test.effect[better, worse],
    ).sorted_by("difference", descending=True)


def table(of: Tested) -> Table:
    return of.systems.of_columns(*PLACES).table(
        f"all-{of.slug}",
        f"All systems by {of.measure.short}, and how many differ from each",
        *dashes([of.reason]),
    )
