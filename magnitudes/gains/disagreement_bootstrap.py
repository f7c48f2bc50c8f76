"""How sure p(T|i) is: its bootstrap over documents."""

from typing import NamedTuple

import numpy as np

from magnitudes.agreement.opinions import Opinions
from magnitudes.gains import GainError
from magnitudes.gains.disagreement import Floats, Sums, pooled, sums
from magnitudes.scaling.groups import Resamples

CONFIDENCE = 0.95
RESAMPLES = 1000


class Bootstrap(NamedTuple):
    """p(T|i) of documents drawn with replacement, again and again."""

    draws: Floats  # (resamples, levels), NaN where a draw never has a level
    low: Floats
    high: Floats  # (levels,): 95% of the draws that are not NaN lie between, by percentiles
    seed: int


def bootstrap_disagreement(
    opinions: Opinions, resamples: int = RESAMPLES, *, seed: int
) -> Bootstrap:
    """How sure p(T|i) is: as many documents as there are, drawn with replacement.

    Documents (items) are drawn with all their labels; those without labels of two judges tell
    nothing, and are not drawn. An interval that also holds for other topics is that of
    `disagreement_over_topics`, which is wider where topics differ in how much judges disagree.

    Parameters:
        opinions: see `disagreement`.
        resamples: how many draws.
        seed: of `numpy.random.default_rng`.

    Returns:
        See `Bootstrap`; `low` and `high` are NaN for a level that no draw has.

    Raises:
        GainError: as `disagreement`; fewer than one resample.

    >>> labels = Opinions([0, 0, 1, 1, 2, 2], [2, 2, 2, 1, 1, 0], [0, 1, 0, 1, 0, 1], 3, [0, 0, 1])
    >>> result = bootstrap_disagreement(labels, resamples=200, seed=1)
    >>> result.low, result.high
    (array([0., 0., 0.]), array([0., 1., 1.]))
    """
    if resamples < 1:
        raise GainError(f"at least one resample must be drawn, not {resamples}")
    parts = sums(opinions)
    informative = parts.shares.any(axis=1)
    parts = Sums(*(part[informative] for part in parts))
    draws = np.empty((resamples, opinions.n_levels))
    for part, counts in Resamples(len(parts.shares), resamples, seed).chunks(0):
        draws[part] = pooled(parts, counts).p
    low, high = np.full((2, opinions.n_levels), np.nan)
    known = ~np.isnan(draws).all(axis=0)
    ends = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
    low[known], high[known] = np.nanquantile(draws[:, known], ends, axis=0)
    return Bootstrap(draws, low, high, seed)
