"""Order and drift: whether a score depends on when it was given, and not only on the document.

Every score is held against what others gave for the same document; what is left is averaged by
whatever may matter: the position in the unit, whether the unit began with H_k or N_k, the score
before, how many units the worker had done. Documents are shown in random order against such effects
(Maddalena, Mizzaro, Scholer and Turpin, ACM TOIS 35(3), 2017, section 3.2.4, after Moskowitz 1977);
here they are measured.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from evaluation.scaling import ScalingError
from evaluation.scaling.flat import checked_codes, checked_values, summed

CONFIDENCE = 0.95


class GroupedMean(NamedTuple):
    """A mean for each group, and the ends of its 95% interval; all of shape (n_groups,)."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    counts: NDArray[np.int64]  # values
    clusters: NDArray[np.int64]  # workers who gave them


def against_others(logs: ArrayLike, items: ArrayLike, n_items: int) -> NDArray[np.float64]:
    """How far each value is from the mean of its item's other values.

        y = log s - mean of log s over the others = (log s - mean over all) · m / (m - 1)

    Parameters:
        logs: shape (n,), logarithms of normalised scores.
        items: shape (n,), whole numbers from 0 to n_items - 1: the pair of topic and document.
        n_items: how many items there are.

    Returns:
        Shape (n,), in the order of `logs`. NaN where an item has no other value.

    Raises:
        ScalingError: logarithms that are not finite, codes out of range, lists of different length.

    >>> against_others([1.0, 2.0, 6.0, 5.0], [0, 0, 0, 1], n_items=2)
    array([-3. , -1.5,  4.5,  nan])
    """
    given = checked_values(logs)
    codes = checked_codes(items, len(given), n_items)
    counts = np.bincount(codes, minlength=n_items)
    means = summed(given, codes, n_items) / np.maximum(counts, 1)
    m = counts[codes]
    off = (given - means[codes]) * m / np.maximum(m - 1, 1)
    return np.where(m > 1, off, np.nan)


def grouped_mean(
    y: ArrayLike, groups: ArrayLike, clusters: ArrayLike, n_groups: int
) -> GroupedMean:
    """The mean of each group, with an interval that allows for workers who go on like themselves.

        mean ± t(0.975; C - 1) · s,    s² = C / (C - 1) · Σ over workers of (Σ (y - mean))² / n²

    with n values of C workers in the group: the cluster-robust ("sandwich") variance of a mean,
    with the usual correction for few clusters (Liang and Zeger 1986; Cameron and Miller, Journal of
    Human Resources 50(2), 2015). With one value a worker it is Student's interval.

    Parameters:
        y: shape (n,), any finite numbers; NaN, as from `against_others`, is left out. Seconds will
            do as well.
        groups: shape (n,), whole numbers from 0 to n_groups - 1.
        clusters: shape (n,), whole numbers from 0: the worker.
        n_groups: how many groups there are, those without a value included.

    Returns:
        See `GroupedMean`; means and ends in the unit of y. The mean is NaN without a value, the
        ends are NaN below two workers.

    Raises:
        ScalingError: infinite values, codes out of range, lists of different length.

    >>> found = grouped_mean([1, 2, 3, 5], [0, 0, 0, 1], clusters=[7, 7, 8, 7], n_groups=2)
    >>> found.mean, found.low.round(3), found.clusters
    (array([2., 5.]), array([-6.471,    nan]), array([2, 1]))
    """
    given = np.asarray(y, dtype=np.float64)
    if given.ndim != 1 or np.isinf(given).any():
        raise ScalingError("y must be one list of finite numbers, or NaN where there is none")
    of_group = checked_codes(groups, len(given), n_groups, "groups")
    of_cluster = checked_codes(clusters, len(given), np.iinfo(np.int64).max, "clusters")
    kept = ~np.isnan(given)
    given, of_group, of_cluster = given[kept], of_group[kept], of_cluster[kept]
    largest = np.abs(given).max(initial=0.0) or 1.0  # in parts of it no square overflows
    parts = given / largest
    counts = np.bincount(of_group, minlength=n_groups)
    mean = summed(parts, of_group, n_groups) / np.maximum(counts, 1)
    squares, n_clusters = _clustered(parts - mean[of_group], of_group, of_cluster, n_groups)
    several = n_clusters > 1
    degrees = np.maximum(n_clusters - 1, 1)
    error = np.sqrt(squares * n_clusters / degrees) / np.maximum(counts, 1)
    margin = np.where(several, stdtrit(degrees, (1 + CONFIDENCE) / 2) * error, np.nan)
    mean = np.where(counts > 0, mean, np.nan)
    return GroupedMean(
        largest * mean, largest * (mean - margin), largest * (mean + margin), counts, n_clusters
    )


def _clustered(
    off: NDArray[np.float64],
    groups: NDArray[np.int64],
    clusters: NDArray[np.int64],
    n_groups: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each group: Σ over clusters of (Σ off)², and how many clusters it has."""
    _, dense = np.unique(clusters, return_inverse=True)
    n_clusters = dense.max(initial=-1) + 1
    cells, cell = np.unique(groups * n_clusters + dense, return_inverse=True)
    group = cells // max(n_clusters, 1)
    squares = summed(off, cell, len(cells)) ** 2
    return summed(squares, group, n_groups), np.bincount(group, minlength=n_groups)
