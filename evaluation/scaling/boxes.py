"""What a box plot draws of some groups of values.

John W. Tukey, Exploratory Data Analysis, Addison-Wesley 1977. The box reaches from the lower to the
upper quartile, a line in it marks the median, and the whiskers end at the furthest values within
1.5 times the height of the box; what lies beyond are outliers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.scaling.aggregation import aggregate
from evaluation.scaling.flat import Grouped, checked_codes, checked_values, grouped

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
TOLERANCE = 1e-12
REACH = 1.5
MOST = 200


class Boxes(NamedTuple):
    """One box for each group, all of shape (groups,), and the outliers that are to be drawn."""

    counts: Counts
    low: Floats  # the end of the lower whisker
    lower: Floats  # quartile
    median: Floats
    upper: Floats
    high: Floats
    mean: Floats
    outliers: Counts  # how many there are
    drawn: Floats  # (n,), some of them
    drawn_groups: Counts  # (n,), and the group of each


def boxes(values: ArrayLike, groups: ArrayLike, n_groups: int, most: int = MOST) -> Boxes:
    """The boxes of groups of values.

    Parameters:
        values: shape (n,), any finite numbers.
        groups: shape (n,), the group of each, from 0 to n_groups - 1.
        most: how many outliers of a group to draw, at least 2. Of more, those that divide them
            evenly by rank, the smallest and the largest among them.

    Returns:
        `Boxes` in the unit of the values. Quartiles lie between the values beside them in
        proportion, as `numpy.quantile` has it by default. A group without a value is NaN, count 0.

    Time grows with n log n.

    Raises:
        ScalingError: arrays that do not fit, values that are not finite, groups out of range.

    >>> found = boxes([1, 2, 3, 4, 5, 50], [0] * 6, n_groups=2)
    >>> found.lower, found.median, found.upper
    (array([2.25,  nan]), array([3.5, nan]), array([4.75,  nan]))
    >>> found.low, found.high, found.outliers, found.drawn
    (array([ 1., nan]), array([ 5., nan]), array([1, 0]), array([50.]))
    """
    given = checked_values(values)
    codes = checked_codes(groups, given.size, n_groups, "groups")
    by = grouped(given, codes)
    ordered, whose = given[by.order], codes[by.order]
    lower, median, upper, low, high = np.full((5, n_groups), np.nan)
    counts, outliers = np.zeros((2, n_groups), dtype=np.int64)
    shown = np.zeros(given.size, dtype=np.bool_)
    if given.size:
        for quantile, share in ((lower, 0.25), (median, 0.5), (upper, 0.75)):
            quantile[by.used] = _quantile(ordered, by, share)
        with np.errstate(over="ignore"):
            # A value on a fence lies inside, whatever the last digit of the quartiles.
            reach = REACH * (upper - lower) + TOLERANCE * np.maximum(np.abs(lower), np.abs(upper))
            inside = (ordered >= (lower - reach)[whose]) & (ordered <= (upper + reach)[whose])
        # A quartile may lie between two values of which the outer one is an outlier.
        low[by.used] = np.minimum.reduceat(np.where(inside, ordered, np.inf), by.starts)
        high[by.used] = np.maximum.reduceat(np.where(inside, ordered, -np.inf), by.starts)
        low, high = np.minimum(low, lower), np.maximum(high, upper)
        counts[by.used] = by.counts
        outliers = np.bincount(whose[~inside], minlength=n_groups)
        shown[~inside] = _spread_out(whose[~inside], outliers, most)
    mean = aggregate(given, codes, n_groups, "arithmetic").values
    drawn = ordered[shown], whose[shown]
    return Boxes(counts, low, lower, median, upper, high, mean, outliers, *drawn)


def _quantile(ordered: Floats, by: Grouped, share: float) -> Floats:
    place = (by.counts - 1) * share
    before = np.floor(place).astype(np.int64)
    part = place - before
    below = ordered[by.starts + before]
    above = ordered[by.starts + np.minimum(before + 1, by.counts - 1)]
    # In parts, as the difference of two doubles may be none; and between equals, exactly theirs.
    return np.clip((1 - part) * below + part * above, below, above)


def _spread_out(groups: Counts, sizes: Counts, most: int) -> NDArray[np.bool_]:
    """Which of the sorted members of each group are shown, if not all can be."""
    place = np.arange(len(groups)) - np.searchsorted(groups, groups)
    gaps = np.maximum(sizes[groups] - 1, most - 1)
    step, before = place * (most - 1) // gaps, (place - 1) * (most - 1) // gaps
    return (sizes[groups] <= most) | (step > before)
