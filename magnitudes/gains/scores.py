"""Scores: the magnitudes that several judges gave to documents, as flat arrays.

What gains of opinions are computed from (see `named`), where people gave magnitudes: as levels, cut
between the anchors of each topic, or as ratings that go from one anchor to the other.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.agreement.opinions import NUMBERS, Ids, Names, Opinions
from magnitudes.gains.bounded import bounded
from magnitudes.scaling.cutting import anchor_thresholds, cut

Floats = NDArray[np.float64]
LEVELS = 4  # that magnitudes are cut into: as many as the labels of Maddalena and others have


class Ratings(NamedTuple):
    """Ratings from 0 to `d_max`: the item of each, (n,), and how many items there are."""

    items: Ids
    ratings: Floats
    n_items: int
    d_max: float


@dataclass(frozen=True, eq=False)
class Scores:
    """Who gave which magnitude to what.

    items: (n,), the item of each score, from 0; values: (n,), normalised scores; judges: (n,), any
    whole numbers from 0; topic_of_item: (items,), the topic of each item, from 0; n_k, h_k:
    (topics,), the gains of the anchors; aggregated: (items,), NaN for an item without a score;
    names: what messages call judges.

    A topic whose H_k has no more gain than its N_k has neither levels nor ratings.

    >>> values, zeros = np.array([2.0, 8, 5]), np.array([0, 0, 0])
    >>> scores = Scores(np.array([0, 1, 2]), values, zeros, zeros, np.array([2.0]),
    ...                 np.array([8.0]), values)
    >>> scores.opinions.levels, scores.ratings.ratings.round(2)
    (array([0, 3, 2]), array([0.  , 1.  , 0.66]))
    """

    items: Ids
    values: Floats
    judges: Ids
    topic_of_item: Ids
    n_k: Floats
    h_k: Floats
    aggregated: Floats
    names: Names = NUMBERS

    @cached_property
    def opinions(self) -> Opinions:
        """As four levels, in equal steps of ratios between the anchors; see `cutting`."""
        steps = anchor_thresholds(self.n_k, self.h_k, LEVELS)
        levels = cut(self.values, steps, self.topic_of_item[self.items])
        return Opinions(self.items, levels, self.judges, LEVELS, self.topic_of_item, self.names)

    @cached_property
    def ratings(self) -> Ratings:
        """As ratings from 0 (N_k or less) to 1 (H_k or more); see `bounded`."""
        topics = self.topic_of_item[self.items]
        ratings = bounded(self.values, self.n_k[topics], self.h_k[topics]).ratings
        known = ~np.isnan(ratings)
        return Ratings(self.items[known], ratings[known], len(self.topic_of_item), 1.0)
