"""Whether one measure tells more pairs of systems apart than another: a bootstrap over topics."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from magnitudes.comparison.pairs import Floats
from magnitudes.comparison.top_set import LEVEL
from magnitudes.files.lazy import scipy

N_RESAMPLES = 1999  # p may be as small as is needed for all pairs of eight measures
SLACK = 1e-12  # of a variance: what rounding leaves


def power_by_draws(values: Floats, draws: Floats) -> Floats:
    """The share of pairs with p < .05 by the paired t test, for many draws of topics at once.

    Parameters:
        values: shape (topics, systems). draws: shape (n, topics), how often each topic is drawn.

    Returns:
        Shape (n,). A pair that differs by the same on all topics of a draw does not count.
    """
    topics, systems = values.shape
    one, other = np.triu_indices(systems, 1)
    difference = values[:, one] - values[:, other]
    mean = draws @ difference / topics
    variance = np.maximum(draws @ difference**2 / topics - mean**2, 0)
    least = scipy.special.stdtrit(topics - 1, 1 - LEVEL / 2) ** 2 * variance / (topics - 1)
    shares: Floats = ((mean**2 > least) & (variance > SLACK)).mean(axis=1)
    return shares


def p_of_more_power(tables: Sequence[Floats], seed: int = 0) -> NDArray[np.float64]:
    """How surely one measure tells more pairs apart than another, (measures, measures).

    Topics are drawn with replacement, the same for all measures. p of row against column is twice
    the share of draws in which the row's power is not above the column's, (b + 1) / (B + 1), at
    most 1. It is of each pair alone; it rests on as many topics as there are.

    Parameters:
        tables: of each measure, shape (topics, systems), on the same topics.
        seed: of the draws.

    >>> rng = np.random.default_rng(1)
    >>> topics, systems = rng.normal(size=(20, 1)), np.linspace(0, 1, 6)
    >>> sharp, blunt = (topics + systems + rng.normal(0, sd, (20, 6)) for sd in (0.2, 3))
    >>> p = p_of_more_power([sharp, blunt])
    >>> bool(p[0, 1] < 0.05), bool(p[1, 0] < 0.05)
    (True, False)
    """
    topics = len(tables[0])
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(topics, np.full(topics, 1 / topics), N_RESAMPLES).astype(np.float64)
    powers = np.stack([power_by_draws(table, draws) for table in tables])
    not_above = (powers[:, np.newaxis] <= powers).sum(axis=2)
    return np.minimum(2 * (not_above + 1) / (N_RESAMPLES + 1), 1)
