"""The bootstrap test of all pairs of systems."""

import numpy as np
from numpy.typing import ArrayLike

from magnitudes.comparison.pairs import (
    SLACK,
    TURNS,
    Floats,
    PairTests,
    differences,
    p_values,
    positive,
    share_of_draws,
)
from magnitudes.scaling.groups import Resamples


def bootstrap(values: ArrayLike, n_resamples: int = TURNS, seed: int = 0) -> PairTests:
    """Whether systems differ, by the paired bootstrap test, shifted and studentised.

        p = (1 + draws with  |t(w*)| >= |t(z)|) / (B + 1),   t(x) = mean(x) / (s(x) / √n)

    where z are the differences of two systems on n topics, w = z - mean(z), and w* are n of them
    drawn with replacement, as if from a world in which the mean difference is 0. All pairs get the
    same draws of topics. A draw whose w* are all equal has an infinite t, or if they are 0, none;
    both count as at least as large. Sakai, Evaluating evaluation metrics based on the bootstrap,
    SIGIR 2006; Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 16.

    As r = (Σ x)² / (n Σ x²) = t² / (n - 1 + t²) grows with |t|, it is r that is compared, with a
    tolerance of 1e-12. It needs no variance, and sums of all draws are products of matrices.

    Parameters:
        values: shape (topics, systems), a measure's values. Differences are taken to 12 digits.
        n_resamples: B, how often topics are drawn.
        seed: what `numpy.random.default_rng` starts with.

    Returns:
        `p`, `seed` and `reason`. p is never 0 (see `share_of_draws`). It is 1 where a pair does
        not differ on any topic; NaN where it differs by the same on all, as then no draw has a
        spread; NaN below two topics, and for a system with a value that is NaN.

    Time grows with draws · topics · systems²; memory does not grow with draws.

    Raises:
        ComparisonError: values that are no table, or infinite; fewer than one draw.

    >>> tests = bootstrap([[0.9, 0.5], [0.8, 0.6], [0.7, 0.2], [0.4, 0.5], [0.8, 0.3], [0.9, 0.6]])
    >>> tests.p[0, 1].round(4), tests.seed
    (np.float64(0.05), 0)
    """
    positive("n_resamples", n_resamples)
    p, reason = p_values(values, lambda known: _all_pairs(known, n_resamples, seed))
    return PairTests(p, seed, reason)


def _all_pairs(values: Floats, n_resamples: int, seed: int) -> Floats:
    topics, systems = values.shape
    extreme = np.zeros((systems, systems))
    rows = values.T - values.mean(axis=0)[:, np.newaxis]
    # Draws at a time: as many as leave what is worked on in the processor's cache.
    for _, drawn in Resamples(topics, n_resamples, seed).chunks(8 * systems):
        counts = np.ascontiguousarray(drawn.T)
        sums = rows @ counts
        work = np.empty((2, *sums.shape))  # fresh memory would take as long as the arithmetic
        for system, later, z in differences(values):
            squared, least = work[:, later]
            np.subtract(sums[later], sums[system], out=squared)  # Σ w*
            np.square(squared, out=squared)
            np.matmul(_least(z), counts, out=least)
            extreme[system, later] += np.count_nonzero(squared >= least, axis=1)
            extreme[system, later][(np.ptp(z, axis=1) == 0) & (z[:, 0] != 0)] = np.nan
    return share_of_draws(extreme, n_resamples)


def _least(z: Floats) -> Floats:
    """(r - tolerance) n w², whose sum over a draw (Σ w*)² must reach; shape of z, (pairs, n)."""
    n = z.shape[1]
    squares = (z**2).sum(axis=1)
    r = np.divide(z.sum(axis=1) ** 2, n * squares, out=np.zeros(len(z)), where=squares > 0)
    w = z - z.mean(axis=1, keepdims=True)
    w[np.abs(w) < SLACK] = 0  # not rounded: the others keep all digits
    return np.asarray(w**2 * (n * (r - SLACK))[:, np.newaxis])
