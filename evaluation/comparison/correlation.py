"""Agreement of two orders of systems."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from evaluation.comparison.ranks import rounded


def tau_b(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's tau-b of two lists of values, one for each system (Kendall 1945).

    The share of pairs that both lists order alike, less the share that they order differently,
    corrected for ties. Values are rounded first (see `rounded`), so that sums which differ only by
    the order of addition are ties. 1: the same order; -1: the reverse; NaN where all values of
    a list are equal, or there are fewer than two.

    >>> tau_b([0.9, 0.5, 0.1], [3, 2, 1])
    1.0
    """
    if np.size(first) < 2:
        return float("nan")
    return float(stats.kendalltau(rounded(first), rounded(second)).statistic)
