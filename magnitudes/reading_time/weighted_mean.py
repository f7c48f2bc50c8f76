"""Weighted means of what participants did, with standard errors clustered by participant."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Estimate(NamedTuple):
    """A number and its standard error, from so many entries of so many participants."""

    value: float
    error: float
    entries: int
    participants: int
    reason: str  # why one of the two is NaN


def weighted_mean(
    values: ArrayLike, weights: ArrayLike, participants: ArrayLike, none: str = "there is no value"
) -> Estimate:
    """r = sum wv / sum w, with the standard error of a ratio whose terms are clustered.

        sqrt(G/(G-1) · sum over participants of (sum of their w (v - r))²) / sum w

    Parameters:
        values, weights: shape (n,); weights of at least 0. participants: (n,), whole numbers.
        none: the reason where there is no value with a weight.

    Returns:
        NaN without any weight; an error of NaN with one participant; the reason says so. Cochran,
        Sampling Techniques, 1977, section 11.

    >>> estimate = weighted_mean([1, 2, 3], [1, 1, 2], [1, 2, 3])
    >>> estimate.value, round(estimate.error, 4), estimate.entries
    (2.25, 0.6027, 3)
    """
    value, weight = (np.asarray(array, dtype=np.float64) for array in (values, weights))
    clusters = np.asarray(participants)
    whole = float(weight.sum())
    if not whole > 0:
        return Estimate(np.nan, np.nan, len(value), len(np.unique(clusters)), none)
    mean = float(weight @ value) / whole
    spread, people = clustered(weight * (value - mean), clusters)
    return Estimate(mean, spread / whole, len(value), people, why_no_error(people))


def clustered(terms: Floats, clusters: Ints) -> tuple[float, int]:
    """The standard deviation of a sum of terms by clusters, NaN for one; how many there are."""
    _, place = np.unique(clusters, return_inverse=True)
    sums = np.bincount(place, terms)
    n = len(sums)
    if n < 2:
        return np.nan, n
    return float(np.sqrt(n / (n - 1) * (sums @ sums))), n


def why_no_error(participants: int) -> str:
    """Why an error is NaN, if it is."""
    return "" if participants > 1 else "one participant alone: the error is not known"
