"""The bootstrap test of all pairs of systems."""

import numpy as np
from numpy.typing import ArrayLike

from evaluation.comparison.pairs import (
    CELLS,
    SLACK,
    TURNS,
    Floats,
    PairTests,
    blocks,
    p_values,
    positive,
)
from evaluation.scaling.resamples import Resamples


def bootstrap(values: ArrayLike, turns: int = TURNS, seed: int = 0) -> PairTests:
    """Whether systems differ, by the paired bootstrap test, shifted and studentised.

        p = share of turns with  |t(w*)| >= |t(z)|,   t(x) = mean(x) / (s(x) / √n)

    where z are the differences of two systems on n topics, w = z - mean(z), and w* are n of them
    drawn with replacement, as if from a world in which the mean difference is 0. All pairs get the
    same draws of topics. A draw whose w* are all equal has an infinite t, or if they are 0, none;
    both count as at least as large. Sakai, Evaluating evaluation metrics based on the bootstrap,
    SIGIR 2006; Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 16.

    As r = (Σ x)² / (n Σ x²) = t² / (n - 1 + t²) grows with |t|, it is r that is compared, with a
    tolerance of 1e-12. It needs no variance, and sums of all draws are products of matrices.

    Parameters:
        values: shape (topics, systems), a measure's values. Differences are taken to 12 digits.
        turns: B, how often topics are drawn.
        seed: what `numpy.random.default_rng` starts with.

    Returns:
        `p`, `seed` and `reason`. p is a share of B: 0 means less than 1 / B. It is 1 where a pair
        does not differ on any topic; NaN where it differs by the same on all, as then no draw has
        a spread; NaN below two topics, and for a system with a value that is NaN.

    Time grows with turns · topics · systems²; memory does not grow with turns.

    Raises:
        ComparisonError: values that are no table, or infinite; fewer than one turn.

    >>> found = bootstrap([[0.9, 0.5], [0.8, 0.6], [0.7, 0.2], [0.4, 0.5], [0.8, 0.3], [0.9, 0.6]])
    >>> found.p[0, 1], found.seed
    (np.float64(0.049), 0)
    """
    positive("turns", turns)
    p, reason = p_values(values, lambda known: _all_pairs(known, turns, seed))
    return PairTests(p, seed, reason)


def _all_pairs(values: Floats, turns: int, seed: int) -> Floats:
    topics, systems = values.shape
    found = np.zeros((systems, systems))
    for _, drawn in Resamples(topics, turns, seed).chunks(2**10):
        counts = np.ascontiguousarray(drawn.T)
        work = np.empty((2, max(1, CELLS // len(drawn)), len(drawn)))
        for first, second, z in blocks(values, width=len(drawn)):
            found[first, second] += _large(z, counts, work[:, : len(z)])
    return found / turns


def _large(z: Floats, counts: Floats, work: Floats) -> Floats:
    """In how many draws r is large enough: (pairs,).

    Parameters:
        z, counts: shapes (pairs, n) and (n, draws).
        work: shape (2, pairs, draws), to work in: fresh memory takes as long as the arithmetic.
    """
    n = len(counts)
    w = z - z.mean(axis=1, keepdims=True)
    squares = (z**2).sum(axis=1)
    r = np.divide(z.sum(axis=1) ** 2, n * squares, out=np.zeros(len(z)), where=squares > 0)
    # (Σ w*)² >= r n Σ w*², where w* may be all 0
    sums = np.matmul(w, counts, out=work[0])
    np.square(sums, out=sums)
    least = np.matmul(w**2 * (r - SLACK)[:, np.newaxis] * n, counts, out=work[1])
    found = np.count_nonzero(sums >= least, axis=1)
    same = (np.ptp(z, axis=1) == 0) & (squares > 0)
    return np.where(same, np.nan, found)
