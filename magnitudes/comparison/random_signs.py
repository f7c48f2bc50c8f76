"""The randomisation test of all pairs of systems."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison.pairs import (
    CHUNK_SIZE,
    TURNS,
    Floats,
    PairTests,
    p_values,
    positive,
    share_of_draws,
    slack,
)
from magnitudes.comparison.ranks import rounded
from magnitudes.scaling.groups import chunks


def random_signs(values: ArrayLike, n_resamples: int = TURNS, seed: int = 0) -> PairTests:
    """Whether systems differ, by Fisher's randomisation test: differences with signs by chance.

        p = (1 + draws with  |mean(± z)| >= |mean(z)|) / (B + 1)

    where z are the differences of two systems on n topics. If the two are alike, each of them could
    as well have the other sign. All pairs get the same signs; their means come of one product of
    signs and values, as a mean of differences is a difference of means. Smucker, Allan and
    Carterette, A comparison of statistical significance tests for information retrieval evaluation,
    CIKM 2007.

    Parameters:
        values: shape (topics, systems), a measure's values; taken to 12 digits.
        n_resamples: B, how often signs are drawn. Where there are no more than B ways to set them,
            each way counts once, and p is exact. There are 2^(n - 1): with all signs turned round,
            a mean is as large.
        seed: what `numpy.random.default_rng` starts with.

    Returns:
        `p`, `seed` (None where p is exact) and `reason`. An exact p is the share of all ways; one
        that is drawn is never 0 (see `share_of_draws`). p is 1 where a pair does not differ on any
        topic; NaN below two topics, and for a system with a value that is NaN.

    Time grows with draws · systems²; memory does not grow with draws.

    Raises:
        ComparisonError: values that are no table, or infinite; fewer than one draw.

    >>> random_signs([[0.9, 0.5], [0.8, 0.6], [0.7, 0.2]])
    PairTests(p=array([[1.  , 0.25],
           [0.25, 1.  ]]), seed=None, reason='')
    """
    positive("n_resamples", n_resamples)
    p, reason = p_values(values, lambda known: _all_pairs(known, n_resamples, seed))
    return PairTests(p, None if _few(len(np.asarray(values)), n_resamples) else seed, reason)


def _few(topics: int, n_resamples: int) -> bool:
    """Whether each way to set the signs can be tried: 2^(topics - 1) <= n_resamples."""
    return topics <= n_resamples.bit_length()


def _all_pairs(values: Floats, n_resamples: int, seed: int) -> Floats:
    topics, systems = values.shape
    shares = (values - values.mean(axis=1, keepdims=True)) / topics
    means = shares.sum(axis=0)
    least = np.abs(rounded(means[:, np.newaxis] - means)) - slack(values)
    extreme = np.zeros((systems, systems), dtype=np.int64)
    rng = np.random.default_rng(seed)
    few = _few(topics, n_resamples)
    number = 2 ** (topics - 1) if few else n_resamples
    for part in chunks(number, max(topics, systems), CHUNK_SIZE):
        codes = np.arange(part.start, part.stop)[:, np.newaxis]
        bits = codes >> np.arange(topics) & 1 if few else rng.integers(0, 2, (len(codes), topics))
        _count(shares.T @ (2.0 * bits - 1).T, least, extreme)
    return extreme / number if few else share_of_draws(extreme, number)


def _count(means: Floats, least: Floats, extreme: NDArray[np.int64]) -> None:
    """Add for each pair in how many draws its difference is large enough; means (systems, draws).

    One system at a time against those after it: the differences then stay in the cache.
    """
    difference = np.empty_like(means)
    for system in range(len(means) - 1):
        later = slice(system + 1, None)
        rest = np.subtract(means[later], means[system], out=difference[later])
        large = np.abs(rest, out=rest) >= least[system, later, np.newaxis]
        extreme[system, later] += np.count_nonzero(large, axis=1)
