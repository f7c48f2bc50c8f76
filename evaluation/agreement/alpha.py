"""Krippendorff's alpha: how far scores of one document agree beyond chance, and how sure that is.

    α = 1 - D_o / D_e

    D_o = 1/n Σ over items of Σ over pairs of its values of δ² / (m - 1)      observed
    D_e = 1/(n (n - 1)) Σ over pairs of all values of δ²                      expected

with ordered pairs, n values in all and m of an item. The level of measurement sets the difference:

| level      | δ² of a and b                                                       |
|------------|---------------------------------------------------------------------|
| `nominal`  | 0 if a = b, else 1                                                  |
| `ordinal`  | square of the difference of their mean ranks among all values       |
| `interval` | (a - b)²                                                            |
| `ratio`    | ((a - b) / (a + b))²                                                |

Source: Krippendorff, Computing Krippendorff's alpha reliability (2011); Hayes and Krippendorff,
Communication Methods and Measures 1(1), 2007. Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS
35(3), 2017), section 6.1.1: 0.323 at the level `ratio`, the first ten normalised scores per pair.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.agreement import AgreementError
from evaluation.agreement.alpha_sums import LEVELS, Floats, Ids
from evaluation.scaling.groups import BITS, Resamples, checked_codes, checked_values

LEAST = 2.0 ** (-2 * BITS)  # δ² of values that count as equal
CONFIDENCE = 0.95
TOLERANCE = 1e-12


class Alpha(NamedTuple):
    """Alpha, and what it is made of."""

    alpha: float
    observed: float  # D_o; at `interval` in parts of the largest value, squared
    expected: float  # D_e, in the same unit
    items: int  # with two values and more
    values: int  # of those items


class Bootstrap(NamedTuple):
    """Alpha of items drawn with replacement, again and again."""

    alpha: float  # of the items themselves
    alphas: Floats  # (resamples,)
    low: float
    high: float  # 95% of the alphas lie between, by percentiles
    p: float  # share of them that are at most 0
    seed: int


class _Disagreement(NamedTuple):
    """What alpha is a quotient of."""

    of_items: Floats  # (items,), Σ over the pairs of an item of δ² / (m - 1)
    counts: Ids  # (items,), m
    expected: float  # D_e; NaN where nothing can be expected

    @property
    def observed(self) -> float:
        """D_o of all items."""
        return float(self.of_items.sum() / max(self.counts.sum(), 1))

    def alpha(self, observed: ArrayLike) -> Floats:
        """Alpha of values of D_o."""
        return 1 - np.asarray(observed) / self.expected


def krippendorff_alpha(
    values: ArrayLike, items: ArrayLike, level: str = "ratio", first: int | None = None
) -> Alpha:
    """Alpha of the values of some items.

    Parameters:
        values: shape (n,), in the order in which they came in; positive for `ratio`.
        items: shape (n,), whole numbers from 0: the pair of topic and document of each value.
        level: `nominal`, `ordinal`, `interval` or `ratio`.
        first: only so many values of an item count, the first; None: all. The paper takes 10.

    Returns:
        1: all values of an item agree; 0: as much as values drawn at random; below: less. An item
        with one value says nothing and is left out. Where fewer than two items are left, there
        is no agreement to be told from chance; where all values are equal, no disagreement to
        expect: alpha is NaN. Values that agree to 12 digits are equal.

    Raises:
        AgreementError: an unknown level; `first` below 1.
        ScalingError: values that the level cannot work with, arrays of different length, codes
            that are not whole numbers from 0.

    >>> result = krippendorff_alpha([1, 2, 10, 20], [0, 0, 1, 1])
    >>> round(result.alpha, 3), result.items, result.values
    (0.764, 2, 4)
    >>> krippendorff_alpha([1, 2, 2, 2], [0, 0, 1, 1], "nominal").alpha
    0.0
    """
    disagreement = _disagreement(values, items, level, first)
    alpha = float(disagreement.alpha(disagreement.observed))
    n = int(disagreement.counts.sum())
    return Alpha(alpha, disagreement.observed, disagreement.expected, len(disagreement.counts), n)


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
    drawn twice counts as two. Each draw has its own D_o, and D_e stays that of all values, as Hayes
    and Krippendorff (2007) have it: what is drawn is how far people agree, not what they could be
    expected to say. They draw single pairs of values. Here whole items are drawn, since the pairs
    of an item depend on one another, and alpha is to hold for other documents. Maddalena and
    others, section 6.1.1, do not say what their "bootstrap hypothesis test" (p < 0.01) drew.

    Parameters:
        values, items, level, first: see `krippendorff_alpha`.
        resamples: how many draws.
        seed: of `numpy.random.default_rng`.

    Returns:
        See `Bootstrap`. `p` is the share of draws whose alpha is at most 0 (to 1e-12). Everything
        is NaN where alpha is not defined.

    Raises:
        AgreementError: fewer than one draw; else as `krippendorff_alpha`.
        ScalingError: as `krippendorff_alpha`.

    >>> result = bootstrap_alpha([1, 2, 10, 20, 50, 30], [0, 0, 1, 1, 2, 2], seed=1)
    >>> result.low < result.alpha < result.high, result.p, result.seed
    (True, 0.0, 1)
    """
    if resamples < 1:
        raise AgreementError(f"at least one resample must be drawn, not {resamples}")
    disagreement = _disagreement(values, items, level, first)
    alpha, alphas = float(disagreement.alpha(disagreement.observed)), np.full(resamples, np.nan)
    if np.isnan(alpha):
        return Bootstrap(alpha, alphas, np.nan, np.nan, np.nan, seed)
    for part, drawn in Resamples(len(disagreement.counts), resamples, seed).chunks(0):
        alphas[part] = disagreement.alpha(
            (drawn @ disagreement.of_items) / (drawn @ disagreement.counts)
        )
    p = float(np.mean(alphas <= TOLERANCE))
    low, high = np.quantile(alphas, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Bootstrap(alpha, alphas, float(low), float(high), p, seed)


def _disagreement(
    values: ArrayLike, items: ArrayLike, level: str, first: int | None
) -> _Disagreement:
    if level not in LEVELS:
        raise AgreementError(f"unknown level {level!r}; there are {', '.join(LEVELS)}")
    if first is not None and first < 1:
        raise AgreementError(f"at least the first value of an item must count, not {first}")
    numbers = checked_values(values, positive=level == "ratio")
    codes = checked_codes(items, len(numbers), np.iinfo(np.int64).max)
    order = np.argsort(codes, kind="stable")
    _, starts, sizes = np.unique(codes[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    counted = np.minimum(sizes, first or len(order))
    counts = counted[counted > 1]
    pairable = (place < np.repeat(counted, sizes)) & np.repeat(counted > 1, sizes)
    if len(counts) < 2:
        return _Disagreement(np.zeros(len(counts)), counts, np.nan)
    prepared = LEVELS[level].prepare(numbers[order[pairable]])
    within, across = LEVELS[level].sums(prepared, np.cumsum(counts) - counts)
    expected = across / (len(prepared) * (len(prepared) - 1))
    return _Disagreement(within / (counts - 1), counts, expected if expected > LEAST else np.nan)
