"""Spread: how far the scores lie apart that one document got for one topic.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 6.1.1 and Figure 5
(ratio, geometric standard deviation), section 6.3 and Figure 9 (standard deviation).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.scaling.flat import checked_codes, checked_values, grouped


class Spread(NamedTuple):
    """The spread of each item's values, three ways; all of shape (n_items,)."""

    ratio: NDArray[np.float64]
    geometric_sd: NDArray[np.float64]
    sd: NDArray[np.float64]
    counts: NDArray[np.int64]


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
        `counts` are the values behind them. Below two values all three are NaN. A factor beyond
        all doubles is infinite. The order of values makes no difference, to the last bit.

    Raises:
        ScalingError: values that are not positive and finite, codes out of range, arrays of
            different length.

    >>> ratio, geometric_sd, sd, counts = spread([1, 4, 16, 5], [0, 0, 0, 1], n_items=2)
    >>> ratio, geometric_sd, sd.round(3)
    (array([16., nan]), array([ 4., nan]), array([7.937,   nan]))
    """
    given = checked_values(values, positive=True)
    codes = checked_codes(items, len(given), n_items)
    order, starts, counts, used = grouped(given, codes)
    ratio, geometric_sd, sd = (np.full(n_items, np.nan) for _ in range(3))
    if given.size:
        ordered = given[order]
        smallest, largest = ordered[starts], ordered[starts + counts - 1]
        several = counts > 1
        some = used[several]
        with np.errstate(over="ignore"):
            ratio[some] = (largest / smallest)[several]
            geometric_sd[some] = np.exp(_sd(np.log(ordered), starts, counts)[several])
        # In parts of the largest, so that no square overflows or vanishes.
        parts = ordered / np.repeat(largest, counts)
        sd[some] = (largest * _sd(parts, starts, counts))[several]
    return Spread(ratio, geometric_sd, sd, np.bincount(codes, minlength=n_items))


def _sd(
    ordered: NDArray[np.float64], starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The n - 1 standard deviation of each group; 0 of a single value."""
    means = np.add.reduceat(ordered, starts) / counts
    squares = np.add.reduceat((ordered - np.repeat(means, counts)) ** 2, starts)
    return np.sqrt(squares / np.maximum(counts - 1, 1))
