"""Workers: how far each agrees with the others, and how many of them a document needs.

How many a document needs: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section
6.3 and Table II.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement import AgreementError
from magnitudes.scaling.groups import grouped, ratio, summed, validate_codes, validate_values
from magnitudes.spread.drift import against_others

Floats = NDArray[np.float64]
DIGITS = 12
Z95 = 1.96


class WorkerAgreement(NamedTuple):
    """All of shape (n_workers,)."""

    correlation: Floats  # Spearman's, with the mean of the others
    deviation: Floats  # mean distance from it, of logarithms
    pairs: NDArray[np.int64]  # scores that have others to be compared with


def worker_agreement(
    logs: ArrayLike, items: ArrayLike, workers: ArrayLike, n_items: int, n_workers: int
) -> WorkerAgreement:
    """Each worker's scores against the mean of the others' for the same documents.

    The others' mean leaves out all that the worker gave for the document. Correlation is
    Spearman's, of ranks with ties sharing theirs: it asks for the order alone. Pearson's would rest
    on a single document where a worker writes 0.00001 for "not at all", and such scores are not
    wrong. The mean |log s - mean of the others| says how far off they are.

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
    >>> result = worker_agreement(logs, [0, 1, 2] * 3, [0, 0, 0, 1, 1, 1, 2, 2, 2], 3, 3)
    >>> result.correlation.round(2), result.deviation.round(2)
    (array([0.87, 0.87, 0.5 ]), array([0.42, 0.5 , 0.75]))
    """
    scores = validate_values(logs)
    of_worker = validate_codes(workers, len(scores), n_workers, "workers")
    residuals = against_others(scores, items, n_items, of_worker)
    comparable = ~np.isnan(residuals)
    scores, residuals, of_worker = scores[comparable], residuals[comparable], of_worker[comparable]
    pairs = np.bincount(of_worker, minlength=n_workers)
    deviation = ratio(summed(np.abs(residuals), of_worker, n_workers), pairs)
    own, others = (
        _centred_ranks(logs_of, of_worker, pairs) for logs_of in (scores, scores - residuals)
    )
    products, own_squares, other_squares = (
        summed(terms, of_worker, n_workers) for terms in (own * others, own**2, others**2)
    )
    correlation = ratio(products, np.sqrt(own_squares * other_squares))
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
    numbers = validate_values(values)
    codes = validate_codes(groups, len(numbers), n_groups, "groups")
    order = grouped(numbers, codes).order
    new = _starts_anew(numbers[order], codes[order])
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


def workers_needed(sigma: ArrayLike, error: ArrayLike, z: float = Z95) -> NDArray[np.float64]:
    """The workers that bring a document's mean score within `error` of the true one.

        n = ⌈z² σ² / E²⌉, and at least 1

    Parameters:
        sigma: σ, standard deviation of a document's normalised scores; any shape, at least 0.
        error: E, how far off the mean may be, in the unit of the scores; above 0. The two
            broadcast.
        z: quantile of the standard normal distribution: 1.96 to be 95% confident, 2.576 for 99%.

    Returns:
        Whole numbers, as doubles, of the broadcast shape; NaN where σ is NaN. A quotient that is
        whole but for rounding is not raised to the next number.

    The paper's formula and text say 1.96, and its Table II 95%; but all 60 cells of that table
    are what z = 2.576 gives.

    Raises:
        AgreementError: a negative or infinite σ; an E or z that is not positive and finite.

    >>> workers_needed([1, 2, 3], error=2), workers_needed([1, 2, 3], error=2, z=2.576)
    (array([1., 4., 9.]), array([ 2.,  7., 15.]))
    """
    deviation = np.asarray(sigma, dtype=np.float64)
    tolerated = np.asarray(error, dtype=np.float64)
    if (deviation < 0).any() or np.isinf(deviation).any():
        raise AgreementError("a standard deviation must be finite and at least 0")
    if not ((tolerated > 0) & np.isfinite(tolerated)).all():
        raise AgreementError("the error that is tolerated must be above 0 and finite")
    if not 0 < z < np.inf:
        raise AgreementError(f"z must be above 0 and finite, not {z!r}")
    exact = (z * (deviation / tolerated)) ** 2
    return np.maximum(np.ceil(exact * (1 - 1e-12)), 1)
