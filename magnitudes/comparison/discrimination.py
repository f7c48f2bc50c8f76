"""Discriminative power: how many pairs of systems a measure can tell apart.

Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006; Table 2 of Smucker and
Clarke, Time-based calibration of effectiveness measures, SIGIR 2012, has it of five measures by
three tests. A measure with little power needs more topics. One with much need not be a good one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.pairs import Floats
from magnitudes.comparison.top_set import LEVEL


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
        Shape (tested pairs,). The nearer the curve is to 0, the more pairs the measure tells apart;
        where it crosses .05 is how many.

    Raises:
        ComparisonError: p that are not square.

    >>> significance_curve([[1, 0.01, 0.2], [0.01, 1, float("nan")], [0.2, float("nan"), 1]])
    array([0.01, 0.2 ])
    """
    of_pairs = _above_diagonal(p)
    return np.sort(of_pairs[~np.isnan(of_pairs)])


def _above_diagonal(p: ArrayLike) -> Floats:
    table = np.asarray(p, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ComparisonError(f"p must have the shape (systems, systems), not {table.shape}")
    return table[np.triu_indices(len(table), 1)]
