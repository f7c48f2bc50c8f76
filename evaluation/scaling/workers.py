"""Workers: how far each agrees with the others who judged the same documents."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.scaling.drift import against_others
from evaluation.scaling.flat import checked_codes, checked_values, grouped, summed

Floats = NDArray[np.float64]
DIGITS = 12


class WorkerAgreement(NamedTuple):
    """All of shape (n_workers,)."""

    correlation: Floats  # Spearman's, with the mean of the others
    deviation: Floats  # mean distance from it, of logarithms
    pairs: NDArray[np.int64]  # scores that have others to be held against


def worker_agreement(
    logs: ArrayLike, items: ArrayLike, workers: ArrayLike, n_items: int, n_workers: int
) -> WorkerAgreement:
    """Each worker's scores against the mean of the others' for the same documents.

    The others' mean leaves out all that the worker gave for the document. Correlation is
    Spearman's, of ranks with ties sharing theirs: it asks for the order alone. Pearson's would rest
    on a single document where a worker writes 0.00001 for "not at all", and such scores are not
    wrong. How far off they are says the mean |log s - mean of the others|.

    Parameters:
        logs: shape (n,), logarithms of normalised scores, less log γ of their topic. Without γ a
            worker of many topics correlates by these alone.
        items: shape (n,), whole numbers from 0 to n_items - 1: the pair of topic and document.
        workers: shape (n,), whole numbers from 0 to n_workers - 1.
        n_items, n_workers: how many there are.

    Returns:
        See `WorkerAgreement`. `correlation` is NaN below two pairs, or where all ranks are equal;
        of few pairs it says little. `deviation` is NaN without a pair; 0.69 is a factor of two.

    Raises:
        ScalingError: logarithms that are not finite, codes out of range, lists of different length.

    >>> logs = [1.0, 2.0, 3.0, 1.5, 2.5, 3.5, 1.0, 3.0, 2.0]
    >>> found = worker_agreement(logs, [0, 1, 2] * 3, [0, 0, 0, 1, 1, 1, 2, 2, 2], 3, 3)
    >>> found.correlation.round(2), found.deviation.round(2)
    (array([0.87, 0.87, 0.5 ]), array([0.42, 0.5 , 0.75]))
    """
    given = checked_values(logs)
    of_worker = checked_codes(workers, len(given), n_workers, "workers")
    off = against_others(given, items, n_items, of_worker)
    held = ~np.isnan(off)
    given, off, of_worker = given[held], off[held], of_worker[held]
    pairs = np.bincount(of_worker, minlength=n_workers)
    deviation = np.full(n_workers, np.nan)
    np.divide(summed(np.abs(off), of_worker, n_workers), pairs, out=deviation, where=pairs > 0)
    own, others = (_centred_ranks(of, of_worker, pairs) for of in (given, given - off))
    both, one, other = (
        summed(products, of_worker, n_workers) for products in (own * others, own**2, others**2)
    )
    spread = np.sqrt(one * other)
    correlation = np.full(n_workers, np.nan)
    np.divide(both, spread, out=correlation, where=spread > 0)
    return WorkerAgreement(correlation, deviation, pairs)


def distinct_values(values: ArrayLike, groups: ArrayLike, n_groups: int) -> NDArray[np.int64]:
    """How many different raw scores each worker used; shape (n_groups,).

    Parameters:
        values: shape (n,), raw scores.
        groups: shape (n,), whole numbers from 0 to n_groups - 1: the worker.

    Raises:
        ScalingError: values that are not finite, codes out of range, lists of different length.

    >>> distinct_values([1, 10, 10, 1, 1], [0, 0, 0, 2, 2], n_groups=3)
    array([2, 0, 1])
    """
    given = checked_values(values)
    codes = checked_codes(groups, len(given), n_groups, "groups")
    order = grouped(given, codes).order
    new = _starts_anew(given[order], codes[order])
    return np.bincount(codes[order][new], minlength=n_groups)


def _centred_ranks(values: Floats, groups: NDArray[np.int64], sizes: NDArray[np.int64]) -> Floats:
    """Ranks within a group, less their mean; logarithms equal to 12 digits share theirs."""
    compared = np.round(values, DIGITS)
    order = grouped(compared, groups).order
    new = _starts_anew(compared[order], groups[order])
    tie = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    shared = first + (np.diff(np.append(first, len(values))) - 1) / 2
    ranks = np.empty(len(values))
    ranks[order] = shared[tie]
    before = np.cumsum(sizes) - sizes
    return ranks - (before + (sizes - 1) / 2)[groups]


def _starts_anew(ordered: Floats, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where, in order of group and value, another value or another group begins."""
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]) | (groups[1:] != groups[:-1])
    return new
