"""Krippendorff's alpha: how far the scores of one document agree, beyond chance.

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

No table of values by values is made; `differences` and `ratio_differences` say how the sums are
found.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.scaling import ScalingError
from evaluation.scaling.differences import Floats, Pairable, Sums, interval, nominal, ordinal
from evaluation.scaling.flat import BITS, checked_codes, checked_values
from evaluation.scaling.ratio_differences import ratio
from evaluation.scaling.resamples import Resamples, once

LEVELS: dict[str, Callable[[Pairable, Resamples], Sums]] = {
    "nominal": nominal,
    "ordinal": ordinal,
    "interval": interval,
    "ratio": ratio,
}
LEAST = 2.0 ** (-2 * BITS)  # δ² of values that count as equal


class Alpha(NamedTuple):
    """Alpha, and what it is made of."""

    alpha: float
    observed: float  # D_o; at `interval` in parts of the largest value, squared
    expected: float  # D_e, in the same unit
    items: int  # with two values and more
    values: int  # of those items


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

    Exact but for rounding, from 1e-300 to 1e300. Time grows with n, and at `ratio` with the powers
    of two that the values span, once each.

    Raises:
        ScalingError: an unknown level, values that it cannot work with, arrays of different
            length, codes that are not whole numbers from 0, `first` below 1.

    >>> agree = krippendorff_alpha([1, 2, 10, 20], [0, 0, 1, 1])
    >>> round(agree.alpha, 3), agree.items, agree.values
    (0.764, 2, 4)
    >>> krippendorff_alpha([1, 2, 2, 2], [0, 0, 1, 1], "nominal").alpha
    0.0
    """
    pairable = pairable_values(values, items, level, first)
    sums = LEVELS[level](pairable, once(len(pairable.counts)))
    alpha, observed, expected = (float(one[0]) for one in of_sums(sums))
    return Alpha(alpha, observed, expected, len(pairable.counts), len(pairable.values))


def pairable_values(values: ArrayLike, items: ArrayLike, level: str, first: int | None) -> Pairable:
    """The values that count, side by side by item, in the order in which they came in."""
    if level not in LEVELS:
        raise ScalingError(f"unknown level {level!r}; there are {', '.join(LEVELS)}")
    if first is not None and first < 1:
        raise ScalingError(f"at least the first value of an item must count, not {first}")
    given = checked_values(values, positive=level == "ratio")
    codes = checked_codes(items, len(given), np.iinfo(np.int64).max)
    order = np.argsort(codes, kind="stable")
    _, starts, counts = np.unique(codes[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(starts, counts)
    kept = np.minimum(counts, first or len(order))
    counted = (place < np.repeat(kept, counts)) & np.repeat(kept > 1, counts)
    return Pairable(given[order[counted]], kept[kept > 1])


def of_sums(sums: Sums) -> tuple[Floats, Floats, Floats]:
    """Alpha, D_o and D_e of each draw."""
    n = sums.values
    observed = sums.observed / np.maximum(n, 1)
    expected = sums.expected / np.maximum(n * (n - 1), 1)
    defined = sums.comparable & (expected > LEAST)
    alphas = np.where(defined, 1 - observed / np.where(defined, expected, 1), np.nan)
    return alphas, observed, expected
