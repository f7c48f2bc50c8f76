"""The Wilcoxon signed-rank test of very many systems at once.

Frank Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1(6), 1945.

`scipy.stats.wilcoxon` is the same test, to the last digit where columns with and without ties are
given to it apart, as it chooses between an exact and an approximate distribution once for all. This
one is here for its speed: resampling asks for it of every system in every draw, and 1,000 draws of
129 systems take SciPy three times as long.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison.ranks import rounded
from magnitudes.files.lazy import scipy
from magnitudes.scaling.groups import chunks

Floats = NDArray[np.float64]
EXACT = 50  # pairs, without ties and zeros
EXACT_WITH_TIES = 13


def signed_rank_p(differences: ArrayLike) -> Floats:
    """Two-sided p-values of the Wilcoxon signed-rank test, each as SciPy's `method='auto'`.

    The statistic is the sum of the ranks, by absolute value, of the positive differences; equal
    ones share the mean of their ranks, and zeros are left out. Its distribution, where either sign
    is as likely, is

    - exact up to 50 pairs without ties or zeros, and up to 13 pairs with them;
    - normal otherwise, with the variance corrected for ties and no correction for continuity.

    Parameters:
        differences: shape (..., pairs, systems), for instance of a measure's values on topics.
            They are rounded to 12 digits before they are ranked.

    Returns:
        Shape (..., systems). 1 where all differences are zero. NaN below two pairs, which say
        nothing of how pairs differ, and where a difference is NaN.

    Work grows with pairs · systems, and is done in parts, so memory beyond that of the result and
    the differences is bounded.

    >>> signed_rank_p([[1], [2], [3], [4], [-5]])
    array([0.625])
    >>> signed_rank_p([[0.1, 0.0], [0.2, 0.0]])
    array([0.5, 1. ])
    """
    array = np.asarray(differences, dtype=np.float64)
    pairs = array.shape[-2]
    flat = np.moveaxis(array, -2, -1)
    shape = flat.shape[:-1]
    flat = flat.reshape(int(np.prod(shape)), pairs)
    p = np.full(len(flat), np.nan)
    if pairs > 1:
        for part in chunks(len(flat), pairs):
            p[part] = _p_values(rounded(flat[part]))
    return p.reshape(shape)


def _p_values(differences: Floats) -> Floats:
    """Of rows, (systems, pairs), of differences that may be compared."""
    pairs = differences.shape[1]
    missing = np.asarray(np.isnan(differences).any(axis=1))
    sizes = np.where(missing[:, np.newaxis], 0.0, np.abs(differences))
    zeros = (sizes == 0).sum(axis=1)
    # Ranked among all, zeros come first; without them, all ranks are lower by their number.
    ranks = np.where(sizes > 0, scipy.stats.rankdata(sizes, axis=1) - zeros[:, np.newaxis], 0.0)
    positive = np.where(differences > 0, ranks, 0.0).sum(axis=1)
    ordered = np.sort(ranks, axis=1)
    tied = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] > 0)).any(axis=1)
    clean = (zeros == 0) & ~tied
    exact = clean if pairs > EXACT_WITH_TIES else np.ones_like(clean)
    if pairs > EXACT:
        exact = np.zeros_like(clean)
    p = np.empty(len(differences))
    p[~exact] = _normal(positive[~exact], ranks[~exact], pairs - zeros[~exact])
    p[exact & clean] = _without_ties(positive[exact & clean], pairs)
    uneven = exact & ~clean
    p[uneven] = _with_ties(positive[uneven], ranks[uneven])
    p[zeros == pairs] = 1.0
    p[missing] = np.nan
    return p


def _normal(positive: Floats, ranks: Floats, count: NDArray[np.int64]) -> Floats:
    """By the normal approximation. The variance of a sum of ranks, each taken or not by chance, is
    the sum of their squares / 4, and ties are thereby corrected for."""
    error = np.sqrt((ranks**2).sum(axis=1)) / 2
    distance = np.abs(positive - count * (count + 1) / 4)
    z = np.divide(distance, error, out=np.zeros_like(error), where=error > 0)
    return np.asarray(2 * scipy.special.ndtr(-z))


@lru_cache(maxsize=EXACT)
def _tails(pairs: int) -> Floats:
    """P(sum of positive ranks <= 0, 1, 2, ...), of the ranks 1 to `pairs`."""
    return np.cumsum(_distribution(np.arange(1, pairs + 1)[np.newaxis])[0])


def _without_ties(positive: Floats, pairs: int) -> Floats:
    lower = np.minimum(positive, pairs * (pairs + 1) / 2 - positive)
    return np.minimum(1.0, 2 * _tails(pairs)[lower.astype(np.int64)])


def _with_ties(positive: Floats, ranks: Floats) -> Floats:
    """Ranks in halves are whole numbers. Systems whose ranks tie in the same places share them, and
    of 13 pairs there are less than 2^13 ways to tie: each is worked out once."""
    halves = np.sort((2 * ranks).astype(np.int64), axis=1)
    taken = (2 * positive).astype(np.int64)
    lower = np.minimum(taken, halves.sum(axis=1) - taken)
    places = 2 ** np.arange(halves.shape[1])
    differ = np.diff(halves, axis=1, prepend=0) > 0  # the first: there is no zero
    _, first, way = np.unique(differ @ places, return_index=True, return_inverse=True)
    below = np.cumsum(_distribution(halves[first]), axis=1)
    result: Floats = np.minimum(1.0, 2 * below[way, lower])
    return result


def _distribution(weights: NDArray[np.int64]) -> Floats:
    """P(sum = 0, 1, 2, ...) where each weight of a row is taken or not with even chances."""
    most = int(weights.sum(axis=1).max(initial=0))
    chances = np.zeros((len(weights), most + 1))
    chances[:, 0] = 1.0
    for column in weights.T:
        before = np.arange(most + 1) - column[:, np.newaxis]
        with_it = np.take_along_axis(chances, np.maximum(before, 0), axis=1)
        chances = (chances + np.where(before >= 0, with_it, 0.0)) / 2
    return chances
