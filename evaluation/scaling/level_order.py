"""Whether values rise with the levels of reference labels.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 5, Figures 3 and 4.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from evaluation.scaling.aggregation import aggregate
from evaluation.scaling.flat import checked_codes
from evaluation.scaling.pair_agreement import of_levels

Floats = NDArray[np.float64]


class LevelTests(NamedTuple):
    """One test for each two adjacent levels, the lowest two first; all of shape (levels - 1,)."""

    t: Floats  # above 0: the higher level has the higher mean
    p: Floats
    degrees: Floats  # of freedom


class OutOfOrder(NamedTuple):
    """How often the median of a level lies above that of a higher level."""

    out: int
    compared: int  # pairs of levels of which both have a document
    possible: int  # pairs of levels in all topics


class LevelOrder(NamedTuple):
    """Medians by topic and level, and how many are out of order."""

    medians: Floats  # (topics, levels), NaN where a topic has no document of a level
    adjacent: OutOfOrder  # of pairs of adjacent levels
    every: OutOfOrder  # of all pairs of levels
    topics: NDArray[np.int64]  # those with a pair out of order


def adjacent_level_tests(values: ArrayLike, labels: ArrayLike, levels: ArrayLike) -> LevelTests:
    """Welch's two-sided t test between the values of each two adjacent levels (Welch 1947).

        t = (mean of the higher - mean of the lower) / √(s_h² / n_h + s_l² / n_l)

    with n - 1 variances and the degrees of freedom of Welch and Satterthwaite. The paper has
    p < .002 between each two levels and does not say which t test; here variances may differ, as
    those of magnitudes do.

    Parameters:
        values, labels, levels: see `pair_agreement`; here of all topics together.

    Returns:
        See `LevelTests`. NaN where a level has fewer than two values, or neither level has any
        spread.

    Raises:
        ScalingError: see `pair_agreement`.

    >>> t, p, degrees = adjacent_level_tests([1, 2, 3, 4, 5, 9], [0, 0, 0, 1, 1, 1], [0, 1])
    >>> t.round(3), p.round(3), degrees.round(3)
    (array([2.449]), array([0.106]), array([2.56]))
    """
    given, of_level, n_levels = of_levels(values, labels, levels)
    groups = [given[of_level == level] for level in range(n_levels)]
    result = LevelTests(*np.full((3, max(n_levels - 1, 0)), np.nan))
    for place, (lower, higher) in enumerate(pairwise(groups)):
        result.t[place], result.p[place], result.degrees[place] = _welch(lower, higher)
    return result


def _welch(lower: Floats, higher: Floats) -> tuple[float, float, float]:
    sizes = np.array([len(lower), len(higher)])
    if sizes.min() < 2 or max(np.ptp(lower), np.ptp(higher)) == 0:
        return np.nan, np.nan, np.nan
    largest = max(np.abs(lower).max(), np.abs(higher).max())  # in parts of it no square overflows
    low, high = lower / largest, higher / largest
    errors = np.array([low.var(ddof=1), high.var(ddof=1)]) / sizes
    both = errors.sum()
    if both == 0:  # a spread that no double holds
        return np.nan, np.nan, np.nan
    t = (high.mean() - low.mean()) / np.sqrt(both)
    degrees = 1 / ((errors / both) ** 2 / (sizes - 1)).sum()
    return t, 2 * stdtr(degrees, -abs(t)), degrees


def level_order(
    values: ArrayLike, labels: ArrayLike, levels: ArrayLike, topics: ArrayLike, n_topics: int
) -> LevelOrder:
    """In how many topics the medians of levels do not follow the levels.

    Two levels of a topic are out of order if the median of the lower one is above that of the
    higher one (by more than 12 digits tell). The paper counts 6 cases of 72 possible ones with
    adjacent levels and of 126 with all: 18 topics, 3 adjacent pairs of Sormunen's four levels (6
    pairs in all) and 1 of TREC's two. It adds up both kinds of labels, and counts a pair as
    possible in every topic.

    Parameters:
        values, labels, levels: see `pair_agreement`; here of all topics together.
        topics: shape (n,), whole numbers from 0 to n_topics - 1: the topic of each document.
        n_topics: how many topics there are.

    Returns:
        See `LevelOrder`.

    Raises:
        ScalingError: see `pair_agreement`; topics out of range.

    >>> order = level_order([1, 2, 3, 4, 1], [0, 1, 2, 0, 2], [0, 1, 2], [0, 0, 0, 1, 1], 2)
    >>> order.adjacent, order.every
    (OutOfOrder(out=0, compared=2, possible=4), OutOfOrder(out=1, compared=4, possible=6))
    """
    codes = checked_codes(topics, np.size(values), n_topics, "topics")
    missing = np.isnan(np.asarray(values, dtype=np.float64) + np.asarray(labels, dtype=np.float64))
    given, of_level, n_levels = of_levels(values, labels, levels)
    cells = codes[~missing] * n_levels + of_level
    medians = aggregate(given, cells, n_topics * n_levels).values.reshape(n_topics, n_levels)
    low, high = np.triu_indices(n_levels, 1)
    out = medians[:, low] > medians[:, high]
    compared = ~np.isnan(medians[:, low] + medians[:, high])
    return LevelOrder(
        medians,
        _counted(out, compared, high == low + 1),
        _counted(out, compared, high > low),
        np.flatnonzero(out.any(axis=1)),
    )


def _counted(
    out: NDArray[np.bool_], compared: NDArray[np.bool_], pairs: NDArray[np.bool_]
) -> OutOfOrder:
    possible = len(out) * int(pairs.sum())
    return OutOfOrder(int(out[:, pairs].sum()), int(compared[:, pairs].sum()), possible)
