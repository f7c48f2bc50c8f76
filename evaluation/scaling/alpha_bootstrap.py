"""How sure Krippendorff's alpha is: its bootstrap over items."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.scaling import ScalingError
from evaluation.scaling.alpha import LEVELS, of_sums, pairable_values
from evaluation.scaling.differences import Floats
from evaluation.scaling.resamples import Resamples, once

CONFIDENCE = 0.95
TOLERANCE = 1e-12


class Bootstrap(NamedTuple):
    """Alpha of items drawn with replacement, again and again."""

    alpha: float  # of the items themselves
    alphas: Floats  # (resamples,), NaN: only one item is drawn, or values all equal
    low: float
    high: float  # 95% of the alphas that are not NaN lie between, by percentiles
    p: float  # share of them that are at most 0
    seed: int


def bootstrap_alpha(
    values: ArrayLike,
    items: ArrayLike,
    level: str = "ratio",
    first: int | None = None,
    resamples: int = 1000,
    *,
    seed: int,
) -> Bootstrap:
    """How sure alpha is: its bootstrap over items, and the test of no agreement beyond chance.

    As many items as there are are drawn with replacement, with all their values; an item that is
    drawn twice counts as two. `p` is the share of draws whose alpha is at most 0 (to 1e-12).

    Parameters:
        values, items, level, first: see `krippendorff_alpha`.
        resamples: how many draws.
        seed: of `numpy.random.default_rng`.

    Returns:
        See `Bootstrap`. Everything is NaN where alpha is not defined.

    Source: the paper's "bootstrap hypothesis test", section 6.1.1, p < 0.01; Hayes and
    Krippendorff (2007) propose to bootstrap. The paper does not say what it drew; here it is items,
    as alpha is to hold for other documents.

    >>> found = bootstrap_alpha([1, 2, 10, 20, 50, 30], [0, 0, 1, 1, 2, 2], seed=1)
    >>> found.low < found.alpha < found.high, found.p < 0.2, found.seed
    (True, True, 1)
    """
    if resamples < 1:
        raise ScalingError(f"at least one resample must be drawn, not {resamples}")
    pairable = pairable_values(values, items, level, first)
    n_items = len(pairable.counts)
    sums = LEVELS[level]
    alpha = float(of_sums(sums(pairable, once(n_items)))[0][0])
    alphas = np.full(resamples, np.nan)
    if not np.isnan(alpha):
        alphas = of_sums(sums(pairable, Resamples(n_items, resamples, seed)))[0]
    defined = alphas[~np.isnan(alphas)]
    if not defined.size:
        return Bootstrap(alpha, alphas, np.nan, np.nan, np.nan, seed)
    low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    p = np.mean(defined <= TOLERANCE)
    return Bootstrap(alpha, alphas, float(low), float(high), float(p), seed)
