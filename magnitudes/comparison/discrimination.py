"""Discriminative power: how many pairs of systems differ by a measure.

Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006; Table 2 of Smucker and
Clarke, Time-based calibration of effectiveness measures, SIGIR 2012, has it of five measures by
three tests. A measure with little power needs more topics. One with much need not be a good one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.pairs import SLACK, Floats, share_of_draws
from magnitudes.comparison.top_set import LEVEL
from magnitudes.files.lazy import scipy

N_RESAMPLES = 1999  # p may be as small as is needed for all pairs of eight measures


class Power(NamedTuple):
    """`share` of the `tested` pairs that are `significant`; NaN where none is tested."""

    share: float
    significant: int
    tested: int  # pairs with a p-value
    pairs: int


def discriminative_power(p: ArrayLike, level: float = LEVEL) -> Power:
    """The share of pairs of systems with p < level.

    Parameters:
        p: shape (systems, systems), symmetric, from `paired_t`, `random_signs`, `bootstrap` or
            `tukey_hsd`. Pairs whose p is NaN are left out and seen from `tested` and `pairs`.

    Returns:
        See `Power`.

    Raises:
        ComparisonError: p that are not square.

    >>> discriminative_power([[1, 0.01, 0.2], [0.01, 1, 0.04], [0.2, 0.04, 1]])
    Power(share=0.6666666666666666, significant=2, tested=3, pairs=3)
    """
    of_pairs = _above_diagonal(p)
    tested = int(np.count_nonzero(~np.isnan(of_pairs)))
    significant = int(np.count_nonzero(of_pairs < level))
    return Power(significant / tested if tested else np.nan, significant, tested, len(of_pairs))


def significance_curve(p: ArrayLike) -> Floats:
    """The achieved significance levels of all pairs of systems, smallest first: Sakai's ASL curve.

    Parameters:
        p: as `discriminative_power` has them.

    Returns:
        Shape (tested pairs,). The nearer the curve is to 0, the more power the measure has;
        where it crosses .05 is how many.

    Raises:
        ComparisonError: p that are not square.

    >>> significance_curve([[1, 0.01, 0.2], [0.01, 1, float("nan")], [0.2, float("nan"), 1]])
    array([0.01, 0.2 ])
    """
    of_pairs = _above_diagonal(p)
    return np.sort(of_pairs[~np.isnan(of_pairs)])


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


def p_of_more_power(tables: Sequence[Floats], seed: int = 0) -> Floats:
    """How surely one measure has more power than another, (measures, measures).

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
    return np.minimum(2 * share_of_draws(not_above, N_RESAMPLES), 1)


def _above_diagonal(p: ArrayLike) -> Floats:
    table = np.asarray(p, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ComparisonError(f"p must have the shape (systems, systems), not {table.shape}")
    return table[np.triu_indices(len(table), 1)]
