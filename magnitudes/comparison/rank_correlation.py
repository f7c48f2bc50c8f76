"""Spearman's rank correlation with the p of a permutation test."""

from collections.abc import Iterator
from itertools import permutations
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.pairs import SLACK, share_of_draws
from magnitudes.files.lazy import scipy
from magnitudes.scaling.groups import chunks

Floats = NDArray[np.float64]
MAX_EXACT = 8  # values, of which all orders are tried: 40,320
N_RESAMPLES = 20_000


class Spearman(NamedTuple):
    """rho, and the chance p that it is as far from 0 by chance; both NaN where nothing varies."""

    rho: float
    p: float
    seed: int | None  # None where p is exact


def spearman(x: ArrayLike, y: ArrayLike, n_resamples: int = N_RESAMPLES, seed: int = 0) -> Spearman:
    """Whether two quantities rise or fall together, two-sided.

    rho is Pearson's correlation of the ranks, mean ranks where values tie. If the two had nothing
    to do with each other, the values of one could as well stand in any other order:

        p = share of orders with  |rho of the order| >= |rho|

    of all n! orders up to 8 values, and of drawn ones as (b + 1) / (B + 1). The t approximation of
    `scipy.stats.spearmanr` is far too small with few values: of five in the same order it gives
    p = 0, where 2 of 120 orders are as extreme. Phipson and Smyth, Permutation p-values should
    never be zero, Statistical Applications in Genetics and Molecular Biology 9(1), 2010.

    Parameters:
        x, y: shape (n,), finite; n of 2 or more.
        n_resamples: B, how many orders are drawn.
        seed: what the draws start with.

    Raises:
        ComparisonError: lists that do not fit, values that are not finite, fewer than two.

    >>> spearman([1, 2, 3, 4, 5], [2, 4, 6, 8, 9])
    Spearman(rho=1.0, p=0.016666666666666666, seed=None)
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise ComparisonError(
            f"x {first.shape} and y {second.shape} must be two lists of one length, at least 2"
        )
    if not np.isfinite(first + second).all():
        raise ComparisonError("x and y must be finite")
    a, b = _unit_ranks(first), _unit_ranks(second)
    exact = len(a) <= MAX_EXACT
    if not (a.any() and b.any()):
        return Spearman(np.nan, np.nan, None if exact else seed)
    rho = float(np.clip((a @ b).round(15), -1, 1))
    least = abs(rho) - SLACK
    extreme = sum(
        int(np.count_nonzero(np.abs(some @ a) >= least))
        for some in (_all_orders(b) if exact else _drawn_orders(b, n_resamples, seed))
    )
    if exact:
        return Spearman(rho, extreme / factorial(len(a)), None)
    return Spearman(rho, float(share_of_draws(extreme, n_resamples)), seed)


def _unit_ranks(values: Floats) -> Floats:
    """Ranks about their mean, with a sum of squares of 1, or all 0."""
    ranks = scipy.stats.rankdata(values)
    centred = ranks - ranks.mean()
    norm = np.linalg.norm(centred)
    return np.asarray(centred / norm if norm else centred, dtype=np.float64)


def _all_orders(values: Floats) -> Iterator[Floats]:
    yield values[np.array(list(permutations(range(len(values)))))]


def _drawn_orders(values: Floats, number: int, seed: int) -> Iterator[Floats]:
    """(orders, n), some at a time, the same however many at a time."""
    rng = np.random.default_rng(seed)
    for part in chunks(number, len(values)):
        yield rng.permuted(np.tile(values, (part.stop - part.start, 1)), axis=1)
