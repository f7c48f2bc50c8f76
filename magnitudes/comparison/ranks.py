"""Ranks of systems: the best is 1, and equals share a rank."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

DIGITS = 12


def rounded(values: ArrayLike) -> NDArray[np.float64]:
    """Values to 12 decimal digits, as they are compared.

    Two systems whose topics have the same values in another order have the same mean, but the
    doubles may differ in the last of their 16 digits, by the order of summation. Such a difference
    is not one between systems; rounding takes nearly all of them away, and no difference that means
    anything is as small. It is no tolerance: two values on both sides of an edge, where one is
    rounded down and the other up, still differ.

    >>> rounded([0.1 + 0.2, 0.3]).tolist()
    [0.3, 0.3]
    """
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), DIGITS))


def competition_ranks(values: ArrayLike) -> NDArray[np.int64]:
    """Ranks by value, highest first: 1 and the number of systems that are better.

    Parameters:
        values: shape (..., systems); the higher the better. NaN is a system without a value.

    Returns:
        Whole numbers of the same shape, ranks along the last axis. Equal values share the smallest
        rank of theirs, and the ranks that this leaves free stay unused: 1, 2, 2, 4. Values are
        equal that agree when `rounded`. NaN come last and share their rank.

    >>> competition_ranks([0.25, 0.5, 0.1, 0.25])
    array([2, 1, 4, 2])
    >>> competition_ranks([float("nan"), 0.1 + 0.2, 0.3])
    array([3, 1, 1])
    """
    worse = -rounded(values)
    order = np.argsort(worse, axis=-1, kind="stable")  # NaN last
    ordered = np.take_along_axis(worse, order, axis=-1)
    before, after = ordered[..., :-1], ordered[..., 1:]
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    place = np.broadcast_to(np.arange(1, worse.shape[-1] + 1), worse.shape).copy()
    place[..., 1:][same] = 1
    shared = np.maximum.accumulate(place, axis=-1)
    ranks = np.empty(worse.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, shared, axis=-1)
    return ranks
