"""How often judges say what they said before, and how often another judge says it.

Demeester and others (WSDM 2014), section 3.3.2.
"""

from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels
from evaluation.analyses.data import Floats
from evaluation.analyses.in_levels import Two
from evaluation.comparison.self_agreement import SelfAndCross, Spread, self_and_cross
from evaluation.gains.disagreement import sums
from evaluation.gains.opinions import Opinions
from evaluation.scaling.resamples import Resamples

DRAWS = 1000


class Gap(NamedTuple):
    """p(T|T) of two different labels of the same judge less that of two judges.

    low, high: its 95% interval; over: what was drawn, topics or documents.
    """

    share: float
    low: float
    high: float
    over: str


class Again(NamedTuple):
    """What two judges of each topic say twice, drawn with replacement and without."""

    two: Two
    drawn: SelfAndCross
    different: SelfAndCross
    gap: Gap

    @property
    def own(self) -> Floats:
        """p(T|T) of the same judge in the draws that have it."""
        return known(self.drawn.own)

    @property
    def cross(self) -> Floats:
        """p(T|T) of two judges in the draws that have it."""
        return known(self.drawn.cross)

    def numbers(self) -> dict[str, float]:
        return {"own": mean(self.own), "cross": mean(self.cross), "items": self.drawn.items}


def known(of: Spread, level: int = -1) -> Floats:
    """p of a level, the top one unless another is given, in the draws that have it."""
    found = of.draws[:, level]
    return found[~np.isnan(found)]


def mean(values: Floats) -> float:
    """NaN of nothing."""
    return float(values.mean()) if values.size else float("nan")


def again(said: Opinions, seed: int) -> Again | None:
    """None where no two judges labelled the same document twice each."""
    two = in_levels.best_two(said, least=2)
    if not two.judges:
        return None
    return Again(
        two,
        self_and_cross(two.opinions, 0, 1, DRAWS, seed=seed),
        self_and_cross(two.opinions, 0, 1, DRAWS, replacement=False, seed=seed),
        _gap(two.opinions, seed),
    )


def _gap(two: Opinions, seed: int) -> Gap:
    """How much more often the same judge says T again than the other says it, and how sure it is.

    All pairs of different labels count, of documents that both labelled twice or more. Topics are
    drawn with replacement, or documents where topics are few.
    """
    cells = np.bincount(two.items * 2 + two.judges, minlength=2 * two.n_items).reshape(-1, 2)
    both = two.where((np.minimum(cells[:, 0], cells[:, 1]) >= 2)[two.items])
    own = Opinions(
        both.items * 2 + both.judges,
        both.levels,
        np.arange(len(both.items)),
        both.n_levels,
        np.repeat(both.topic_of_item, 2),
    )
    topics = len(np.unique(both.topic_of_item[both.items]))
    over = "topics" if topics >= in_levels.ENOUGH_TOPICS else "documents"
    groups = both.topic_of_item if over == "topics" else np.arange(both.n_items)
    columns = []
    for parts, of in ((sums(own), np.repeat(groups, 2)), (sums(both), groups)):
        columns += [np.bincount(of, parts.top[:, -1]), np.bincount(of, parts.said[:, -1])]
    told = np.stack(columns)[:, np.unique(groups[both.items])]
    draws = Resamples(told.shape[1], DRAWS, seed).chunks(0)
    drawn = np.concatenate([_difference(told @ weights.T) for _, weights in draws])
    drawn = drawn[~np.isnan(drawn)]
    low, high = np.quantile(drawn, (0.025, 0.975)) if drawn.size else (np.nan, np.nan)
    found = _difference(told.sum(axis=1, keepdims=True))[0]
    return Gap(float(found), float(low), float(high), over)


def _difference(of: Floats) -> Floats:
    """Of sums (own tops, own, cross tops, cross) by draw."""
    shares = np.full((2, of.shape[1]), np.nan)
    np.divide(of[::2], of[1::2], out=shares, where=of[1::2] > 0)
    return shares[0] - shares[1]
