"""Weights of levels by the User Disagreement Model: the chance that enough users find the best.

A document counts as relevant if at least M of N users, the one who was asked among them, give it
the top level T. The chance of that, when the one who was asked said i, is the weight of level i:

    P(M/N)(T|i) = sum over m = M .. N-1   of  C(N-1, m) p(T|i)^m (1 - p(T|i))^(N-1-m),  i < T    (5)
    P(M/N)(T|T) = sum over m = M-1 .. N-1 of  C(N-1, m) p(T|T)^m (1 - p(T|T))^(N-1-m)            (4)
    P(1/N)(T|i) = 1 - (1 - p(T|i))^(N-1),  P(1/N)(T|T) = 1                                       (3)

p(T|i) is the chance of T from another user (`disagreement`); users are taken to be independent,
given the label of the one. The weights are gains for nDCG, and chances for GAP, which needs M = 1.

Source: Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder, Exploiting user disagreement for
web search evaluation: an experimental approach, WSDM 2014, section 4.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement.opinions import Ids, Opinions
from magnitudes.files.lazy import scipy
from magnitudes.gains import GainError
from magnitudes.scaling.groups import ratio

Floats = NDArray[np.float64]
MOST_USERS = 10_000  # beyond all crowds, and what the sums of binomials are sure to bear


def level_weights(
    p: ArrayLike, m: ArrayLike = 1, n: ArrayLike = 3, keep_lowest: bool = False
) -> Floats:
    """P(M/N)(T|i), the weights of levels: equations (3), (4) and (5) on top of this page.

    Parameters:
        p: shape (..., levels), p(T|i), the top level last; NaN where unknown.
        m, n: at least m of n users, the one who was asked among them; whole numbers,
            0 <= m <= n and 1 <= n <= 10,000, that broadcast with the leading axes of p.
        keep_lowest: whether the lowest level has the weight that its p gives. If not, it has 0,
            as the authors have it: their estimate is dominated by plain mistakes and too high, and
            most documents are of this level.

    Returns:
        Shape (..., levels), from 0 to 1; NaN where p is NaN and matters. With m = n it does not
        matter below the top: the one who was asked did not say T, so that the weight is 0. With
        m = 1 the top level has exactly 1; with m > 1 less, unless p(T|T) = 1, so that GAP cannot
        take it.

    Raises:
        GainError: fewer users than are to say T, or more than 10,000; a p outside 0 to 1; no two
            levels.

    >>> level_weights([0.2, 0.299, 0.6], 1, 3).round(2)
    array([0.  , 0.51, 1.  ])
    >>> level_weights([0.2, 0.299, 0.6], [1, 2, 2, 2], [3, 3, 4, 5])[:, 1].round(2)
    array([0.51, 0.09, 0.21, 0.35])
    """
    chance = np.asarray(p, dtype=np.float64)
    if not chance.ndim or chance.shape[-1] < 2:
        raise GainError(f"p must have at least 2 levels along its last axis, not {chance.shape}")
    outside = chance[(chance < 0) | (chance > 1)]
    if outside.size:
        raise GainError(f"p(T|i) = {outside[0]!s} is not from 0 to 1")
    least, users = users_of(m, n)
    shape = np.broadcast_shapes(chance.shape[:-1], least.shape, users.shape)
    said_top = np.zeros(chance.shape[-1], dtype=np.int64)
    said_top[-1] = 1
    needed = np.broadcast_to(least, shape)[..., np.newaxis] - said_top
    others = np.broadcast_to(users, shape)[..., np.newaxis] - 1
    # bdtrc(k, n, p) sums the binomial's terms above k; nothing is needed where k is below 0.
    weights = np.where(
        needed <= 0, 1.0, scipy.special.bdtrc(np.maximum(needed - 1, 0), others, chance)
    )
    weights[needed > others] = 0.0  # also where p is not known
    if not keep_lowest:
        weights[..., 0] = 0.0
    return weights


def users_of(m: ArrayLike, n: ArrayLike) -> tuple[Ids, Ids]:
    """M and N of "at least M of N users"; GainError for numbers that are not possible."""
    least, users = np.asarray(m), np.asarray(n)
    if not (_whole(least) and _whole(users)):
        raise GainError(f"M = {m!r} of N = {n!r} users must be whole numbers")
    if (users > MOST_USERS).any():
        raise GainError(f"M = {m!r} of N = {n!r} users: N must be at most {MOST_USERS:,}")
    if (least < 0).any() or (users < 1).any() or (least > users).any():
        raise GainError(f"M = {m!r} of N = {n!r} users: M must lie from 0 to N, and N from 1")
    return least.astype(np.int64), users.astype(np.int64)


def _whole(numbers: NDArray[Any]) -> bool:
    """Whether all are whole numbers, those too large for 64 bits too."""
    if numbers.dtype.kind == "O":
        return all(type(number) is int for number in numbers.flat)
    return numbers.dtype.kind in "iu"


def gains_of(opinions: Opinions, weights: ArrayLike) -> Floats:
    """The gain of each item: the mean weight of its labels.

    Parameters:
        opinions: of one judge or more.
        weights: shape (levels,), such as `level_weights` gives.

    Returns:
        Shape (items,); NaN for an item without a label, and for one with a label of no weight.

    Raises:
        GainError: weights of another number of levels; one that is negative or infinite.

    >>> opinions = Opinions([0, 0, 1], [2, 1, 1], [0, 1, 0], 3, [0, 0, 0])
    >>> gains_of(opinions, [0, 0.5, 1])
    array([0.75, 0.5 ,  nan])
    """
    worth = np.asarray(weights, dtype=np.float64)
    if worth.shape != (opinions.n_levels,):
        raise GainError(f"weights {worth.shape} must be one for each of {opinions.n_levels} levels")
    if (worth < 0).any() or np.isinf(worth).any():
        raise GainError(f"weights {weights!r} must be finite numbers from 0")
    known = opinions.given
    total = np.bincount(known.items, worth[known.levels], known.n_items)
    return ratio(total, known.counts.sum(axis=1))
