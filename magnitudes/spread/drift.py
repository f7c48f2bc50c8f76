"""Order and drift: whether a score depends on when it was given, and not only on the document.

Every score is compared with what others gave for the same document; the difference is averaged by
whatever may matter: the position in the unit, whether the unit began with H_k or N_k, the score
before, how many units the worker had done. Documents are shown in random order against such effects
(Maddalena, Mizzaro, Scholer and Turpin, ACM TOIS 35(3), 2017, section 3.2.4, after Moskowitz 1977);
here they are measured.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.files.lazy import scipy
from magnitudes.scaling.groups import summed, validate_codes, validate_values
from magnitudes.spread import SpreadError

CONFIDENCE = 0.95
ROUNDING = 1e-12  # of a sum of squares; what is left of a difference below it is rounding


class GroupedMean(NamedTuple):
    """A mean for each group, its 95% interval, and p of a mean of 0; all of shape (n_groups,)."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    counts: NDArray[np.int64]  # values
    clusters: NDArray[np.int64]  # workers who gave them
    p: NDArray[np.float64]  # two-sided, by the same t; NaN where there is no interval


def against_others(
    logs: ArrayLike, items: ArrayLike, n_items: int, judges: ArrayLike
) -> NDArray[np.float64]:
    """How far each value is from the mean of what others gave for its item.

        y = log s - mean of log s over the item's values by other judges

    Parameters:
        logs: shape (n,), logarithms of normalised scores.
        items: shape (n,), whole numbers from 0 to n_items - 1: the pair of topic and document.
        n_items: how many items there are.
        judges: shape (n,), whole numbers from 0: who gave the value. What else a judge gave for
            an item is not compared with it.

    Returns:
        Shape (n,), in the order of `logs`. NaN where an item has no value by another judge.

    Raises:
        ScalingError: logarithms that are not finite, codes out of range, lists of different length.

    >>> against_others([1.0, 2.0, 6.0, 5.0], [0, 0, 0, 1], 2, judges=[0, 1, 2, 0])
    array([-3. , -1.5,  4.5,  nan])
    >>> against_others([1.0, 2.0, 6.0], [0, 0, 0], 1, judges=[0, 0, 1])
    array([-5. , -4. ,  4.5])
    """
    scores = validate_values(logs)
    codes = validate_codes(items, len(scores), n_items)
    of_judge = validate_codes(judges, len(scores), np.iinfo(np.int64).max, "judges")
    _, own = np.unique(np.column_stack([codes, of_judge]), axis=0, return_inverse=True)
    own = own.reshape(-1)
    counts = np.bincount(codes, minlength=n_items)
    means = summed(scores, codes, n_items) / np.maximum(counts, 1)
    residuals = scores - means[codes]
    others = counts[codes] - np.bincount(own)[own]
    # What others are off the mean of all is what the judge's own are, the other way round.
    own_off = summed(residuals, own, own.max(initial=-1) + 1)[own]
    return np.where(others > 0, residuals + own_off / np.maximum(others, 1), np.nan)


def grouped_mean(
    y: ArrayLike,
    groups: ArrayLike,
    clusters: ArrayLike,
    n_groups: int,
    items: ArrayLike | None = None,
) -> GroupedMean:
    """The mean of each group, with an interval that allows for values of one worker being alike.

        mean ± t(0.975; C - 1) · s,    s² = C / (C - 1) · Σ over workers of (Σ (y - mean))² / n²

    with n values of C workers in the group: the cluster-robust ("sandwich") variance of a mean,
    with the usual correction for few clusters (Liang and Zeger 1986; Cameron and Miller, Journal of
    Human Resources 50(2), 2015). With one value a worker it is Student's interval.

    What `against_others` finds cancels out within an item: where a group has most of an item's
    values, those of different workers are correlated negatively, and the interval is too wide.
    With `items`, the variance is the two-way one (Cameron, Gelbach and Miller, Journal of Business
    & Economic Statistics 29(2), 2011),

        s² = s²(workers) + s²(items) - s²(pairs of worker and item)

    each with its own C, and C of t is the smaller of workers and items. s² is never below what
    independent values would have, s²(pairs) times 1 - Σ n²(group, item) / n(item) / n(group): a
    difference of large estimates comes near 0 by chance, and then anything would seem to differ.
    Where s² is not above 0 even so, it is the larger of the first two. A group with a single item
    keeps the one-way variance.

    Parameters:
        y: shape (n,), any finite numbers; NaN, as from `against_others`, is left out. Seconds will
            do as well.
        groups: shape (n,), whole numbers from 0 to n_groups - 1.
        clusters: shape (n,), whole numbers from 0: the worker.
        n_groups: how many groups there are, those without a value included.
        items: shape (n,), whole numbers from 0: what each value was compared on.

    Returns:
        See `GroupedMean`; means and ends in the unit of y. The mean is NaN without a value, the
        ends are NaN below two workers.

    Raises:
        SpreadError: infinite values, or no list.
        ScalingError: codes out of range, lists of different length.

    >>> result = grouped_mean([1, 2, 3, 5], [0, 0, 0, 1], clusters=[7, 7, 8, 7], n_groups=2)
    >>> result.mean, result.low.round(3), result.clusters
    (array([2., 5.]), array([-6.471,    nan]), array([2, 1]))
    """
    numbers = np.asarray(y, dtype=np.float64)
    if numbers.ndim != 1 or np.isinf(numbers).any():
        raise SpreadError("y must be one list of finite numbers, or NaN where there is none")
    of_group = validate_codes(groups, len(numbers), n_groups, "groups")
    kinds = [validate_codes(clusters, len(numbers), np.iinfo(np.int64).max, "clusters")]
    if items is not None:
        kinds.append(validate_codes(items, len(numbers), np.iinfo(np.int64).max))
    known = ~np.isnan(numbers)
    numbers, of_group, kinds = numbers[known], of_group[known], [codes[known] for codes in kinds]
    counts = np.bincount(of_group, minlength=n_groups)
    mean = summed(numbers, of_group, n_groups) / np.maximum(counts, 1)
    residuals = numbers - mean[of_group]
    squares, n_clusters = _clustered(residuals, of_group, kinds[0], n_groups)
    fewest = n_clusters
    if items is not None:
        squares, fewest = _two_ways(residuals, of_group, kinds, n_groups)
    error = np.sqrt(squares) / np.maximum(counts, 1)
    freedom = np.maximum(fewest - 1, 1)
    margin = scipy.special.stdtrit(freedom, (1 + CONFIDENCE) / 2) * error
    margin = np.where(n_clusters > 1, margin, np.nan)
    mean = np.where(counts > 0, mean, np.nan)
    away = np.divide(np.abs(mean), error, out=np.zeros_like(mean), where=error > 0)
    p = np.where(n_clusters > 1, 2 * scipy.special.stdtr(freedom, -away), np.nan)
    return GroupedMean(mean, mean - margin, mean + margin, counts, n_clusters, p)


def _clustered(
    residuals: NDArray[np.float64],
    groups: NDArray[np.int64],
    clusters: NDArray[np.int64],
    n_groups: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each group: C / (C - 1) · Σ over its C clusters of (Σ off)², and C."""
    _, dense = np.unique(clusters, return_inverse=True)
    n_clusters = dense.max(initial=-1) + 1
    cells, cell = np.unique(groups * n_clusters + dense, return_inverse=True)
    group = cells // max(n_clusters, 1)
    squares = summed(summed(residuals, cell, len(cells)) ** 2, group, n_groups)
    counts = np.bincount(group, minlength=n_groups)
    return squares * counts / np.maximum(counts - 1, 1), counts


def _free(
    groups: NDArray[np.int64], items: NDArray[np.int64], n_groups: int
) -> NDArray[np.float64]:
    """Of a group's variance the share that is left by having the same mean on each item as others.

    1 - Σ over items of n²(group, item) / n(item), over n(group): 0 where a group has all values.
    """
    n_items = items.max(initial=-1) + 1
    cells = np.bincount(groups * n_items + items, minlength=n_groups * n_items)
    cells = cells.reshape(n_groups, n_items).astype(np.float64)
    of_items, of_groups = np.maximum(cells.sum(axis=0), 1), np.maximum(cells.sum(axis=1), 1)
    shares: NDArray[np.float64] = 1 - (cells**2 / of_items).sum(axis=1) / of_groups
    return shares


def _two_ways(
    residuals: NDArray[np.float64],
    groups: NDArray[np.int64],
    kinds: list[NDArray[np.int64]],
    n_groups: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """As `_clustered`, by two kinds of clusters, and the smaller number of them."""
    first, n_first = _clustered(residuals, groups, kinds[0], n_groups)
    second, n_second = _clustered(residuals, groups, kinds[1], n_groups)
    first_ids, second_ids = (np.unique(codes, return_inverse=True)[1] for codes in kinds)
    both, _ = _clustered(
        residuals, groups, first_ids * (second_ids.max(initial=0) + 1) + second_ids, n_groups
    )
    squares = first + second - both
    squares = np.maximum(squares, both * _free(groups, second_ids, n_groups))
    squares = np.where(squares > ROUNDING * both, squares, np.maximum(first, second))
    single, fewest = n_second < 2, np.minimum(n_first, n_second)
    return np.where(single, first, squares), np.where(single, n_first, fewest)
