"""Spread: how far the scores lie apart that one document got for one topic; and box plots.

Spread: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 6.1.1 and Figure 5
(ratio, geometric standard deviation), section 6.3 and Figure 9 (standard deviation).

Box plots: John W. Tukey, Exploratory Data Analysis, Addison-Wesley 1977. The box reaches from the
lower to the upper quartile, a line in it marks the median, and the whiskers end at the furthest
values within 1.5 times the height of the box; what lies beyond are outliers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import Grouped, grouped, validate_codes, validate_values

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
TOLERANCE = 1e-12
REACH = 1.5
MAX_OUTLIERS = 200
EXTREME = 1e4  # a ratio from which on the paper looks at every pair


class Spread(NamedTuple):
    """The spread of each item's values, three ways; all of shape (n_items,)."""

    ratio: Floats
    geometric_sd: Floats
    sd: Floats
    counts: Counts


def spread(values: ArrayLike, items: ArrayLike, n_items: int) -> Spread:
    """The spread of the values of each item.

        ratio         largest / smallest
        geometric sd  exp(√(Σ (ln s - mean of ln s)² / (n - 1)))
        sd            √(Σ (s - mean of s)² / (n - 1))

    Parameters:
        values: shape (n,), positive: normalised scores.
        items: shape (n,), whole numbers from 0 to n_items - 1: the pair of topic and document that
            each value belongs to.
        n_items: how many items there are, those without a value included.

    Returns:
        `ratio` and `geometric_sd` are factors, at least 1; `sd` has the unit of the values;
        `counts` are the values behind them. Below two values all three are NaN. The order of
        values makes no difference, to the last bit.

    Raises:
        ScalingError: values that are not positive and finite, codes out of range, arrays of
            different length.

    >>> ratio, geometric_sd, sd, counts = spread([1, 4, 16, 5], [0, 0, 0, 1], n_items=2)
    >>> ratio, geometric_sd, sd.round(3)
    (array([16., nan]), array([ 4., nan]), array([7.937,   nan]))
    """
    scores = validate_values(values, positive=True)
    codes = validate_codes(items, len(scores), n_items)
    order, starts, counts, used = grouped(scores, codes)
    ratio, geometric_sd, sd = (np.full(n_items, np.nan) for _ in range(3))
    if scores.size:
        ordered = scores[order]
        smallest, largest = ordered[starts], ordered[starts + counts - 1]
        with_two = counts > 1
        repeated = used[with_two]
        ratio[repeated] = (largest / smallest)[with_two]
        geometric_sd[repeated] = np.exp(_sd(np.log(ordered), starts, counts)[with_two])
        sd[repeated] = _sd(ordered, starts, counts)[with_two]
    return Spread(ratio, geometric_sd, sd, np.bincount(codes, minlength=n_items))


def _sd(ordered: Floats, starts: NDArray[np.int64], counts: Counts) -> Floats:
    """The n - 1 standard deviation of each group; 0 of a single value."""
    means = np.add.reduceat(ordered, starts) / counts
    squares = np.add.reduceat((ordered - np.repeat(means, counts)) ** 2, starts)
    return np.sqrt(squares / np.maximum(counts - 1, 1))


def is_extreme(ratios: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which ratios are 10,000 or more, but for rounding: 12,000 over 1.2 is.

    >>> is_extreme(np.array([12_000 / 1.2, 9_999.0]))
    array([ True, False])
    """
    return ratios >= EXTREME * (1 - 1e-12)


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


def boxes(values: ArrayLike, groups: ArrayLike, n_groups: int, most: int = MAX_OUTLIERS) -> Boxes:
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

    >>> result = boxes([1, 2, 3, 4, 5, 50], [0] * 6, n_groups=2)
    >>> result.lower, result.median, result.upper
    (array([2.25,  nan]), array([3.5, nan]), array([4.75,  nan]))
    >>> result.low, result.high, result.outliers, result.drawn
    (array([ 1., nan]), array([ 5., nan]), array([1, 0]), array([50.]))
    """
    numbers = validate_values(values)
    codes = validate_codes(groups, numbers.size, n_groups, "groups")
    by_group = grouped(numbers, codes)
    ordered, group_of = numbers[by_group.order], codes[by_group.order]
    lower, median, upper, low, high = np.full((5, n_groups), np.nan)
    counts, outliers = np.zeros((2, n_groups), dtype=np.int64)
    is_drawn = np.zeros(numbers.size, dtype=np.bool_)
    if numbers.size:
        for quantile, share in ((lower, 0.25), (median, 0.5), (upper, 0.75)):
            quantile[by_group.used] = _quantile(ordered, by_group, share)
        # A value on a fence lies inside, whatever the last digit of the quartiles.
        reach = REACH * (upper - lower) + TOLERANCE * np.maximum(np.abs(lower), np.abs(upper))
        inside = (ordered >= (lower - reach)[group_of]) & (ordered <= (upper + reach)[group_of])
        # A quartile may lie between two values of which the outer one is an outlier.
        low[by_group.used] = np.minimum.reduceat(np.where(inside, ordered, np.inf), by_group.starts)
        high[by_group.used] = np.maximum.reduceat(
            np.where(inside, ordered, -np.inf), by_group.starts
        )
        low, high = np.minimum(low, lower), np.maximum(high, upper)
        counts[by_group.used] = by_group.counts
        outliers = np.bincount(group_of[~inside], minlength=n_groups)
        is_drawn[~inside] = _spread_out(group_of[~inside], outliers, most)
    mean = aggregate(numbers, codes, n_groups, "arithmetic").values
    drawn = ordered[is_drawn], group_of[is_drawn]
    return Boxes(counts, low, lower, median, upper, high, mean, outliers, *drawn)


def _quantile(ordered: Floats, by_group: Grouped, share: float) -> Floats:
    place = (by_group.counts - 1) * share
    before = np.floor(place).astype(np.int64)
    part = place - before
    below = ordered[by_group.starts + before]
    above = ordered[by_group.starts + np.minimum(before + 1, by_group.counts - 1)]
    # Between equals, exactly theirs.
    result: Floats = np.clip((1 - part) * below + part * above, below, above)
    return result


def _spread_out(groups: Counts, sizes: Counts, most: int) -> NDArray[np.bool_]:
    """Which of the sorted members of each group are shown, if not all can be."""
    place = np.arange(len(groups)) - np.searchsorted(groups, groups)
    gaps = np.maximum(sizes[groups] - 1, most - 1)
    step, before = place * (most - 1) // gaps, (place - 1) * (most - 1) // gaps
    return (sizes[groups] <= most) | (step > before)
