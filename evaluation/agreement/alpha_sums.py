"""The sums of squared differences behind Krippendorff's alpha, at each level of measurement.

Every level prepares the values, and then sums δ² over all ordered pairs: within each item, and
across all items together. No table of values by values is made, so that tens of thousands of
distinct values take a fraction of a second. The definitions of δ² are those of `alpha`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluation.scaling.groups import as_compared

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
FAR = 40.0  # of logarithms: e^-40 is as good as 0 beside 1
HIGHEST = 12.5  # frequency: beyond it ω / sinh(πω) is as good as 0


class Sums(NamedTuple):
    """Σ δ² over ordered pairs of values."""

    within: Floats  # (items,), pairs of values of one item
    across: float  # pairs of all values


class Level(NamedTuple):
    """A level of measurement: what is compared of values, and the sums of its δ².

    sums: takes prepared values, item by item, and the place where each item begins.
    """

    prepare: Callable[[Floats], Floats]
    sums: Callable[[Floats, Ids], Sums]


def nominal(values: Floats, starts: Ids) -> Sums:
    """δ² is 0 for equal values and 1 for others: values are counted.

    >>> nominal(np.array([1.0, 2, 2, 2]), np.array([0, 2]))
    Sums(within=array([2., 0.]), across=6.0)
    """
    counts = _counts(values, starts)
    items = np.repeat(np.arange(len(starts)), counts)
    cells, alike = np.unique(np.stack([items, values]), axis=1, return_counts=True)
    equal = np.bincount(cells[0].astype(np.int64), alike**2, len(starts))
    overall = np.unique(values, return_counts=True)[1]
    return Sums(
        np.asarray(counts**2 - equal, dtype=np.float64),
        float(len(values) ** 2 - (overall**2).sum()),
    )


def squared(values: Floats, starts: Ids) -> Sums:
    """δ² = (a - b)²: Σ over the pairs of m values is 2 m Σ (a - mean)².

    >>> squared(np.array([1.0, 2, 4, 4]), np.array([0, 2]))
    Sums(within=array([2., 0.]), across=54.0)
    """
    counts = _counts(values, starts)
    means = np.add.reduceat(values, starts) / counts
    within = np.add.reduceat((values - np.repeat(means, counts)) ** 2, starts)
    across = ((values - values.mean()) ** 2).sum()
    return Sums(np.asarray(2.0 * counts * within), float(2 * len(values) * across))


def ratios(logs: Floats, starts: Ids) -> Sums:
    """δ² = ((a - b) / (a + b))², of the logarithms x = ln a and y = ln b.

    With d = x - y, δ² is tanh²(d / 2), which is a sum of waves:

        tanh²(d / 2) = ∫ from 0 to ∞ of  4 ω / sinh(π ω) · (1 - cos ω d) dω

    and Σ over all pairs of 1 - cos ω (x - y) is n Σ |u|² - |Σ u|² with u = e^(iωx) - 1, for which
    one pass over the values does. The integral is taken by the trapezoid rule, which is exact here
    but for rounding: with steps of 2π / (range + 40) the error is that of e^-40.

    >>> sums = ratios(np.log([1.0, 3, 2, 2]), np.array([0, 2]))
    >>> sums.within.round(12), round(sums.across, 12)
    (array([0.5, 0. ]), 1.104444444444)
    """
    counts, n = _counts(logs, starts), len(logs)
    centred = logs - logs.mean()
    step = 2 * np.pi / (np.ptp(centred) + FAR)
    turn = np.expm1(1j * step * centred)
    u = np.zeros_like(turn)
    within, across = np.zeros(len(starts)), 0.0
    for frequency in step * np.arange(1, HIGHEST / step):
        u += (1 + u) * turn  # not e^(iωx) - 1, where x near 0 would lose digits
        first, second = np.add.reduceat(u, starts), np.add.reduceat(_length(u), starts)
        weight = 4 * step * frequency / np.sinh(np.pi * frequency)
        within += weight * (counts * second - _length(first))
        across += weight * (n * second.sum() - _length(first.sum()))
    return Sums(np.maximum(within, 0), float(across))


def _counts(values: Floats, starts: Ids) -> Ids:
    return np.diff(starts, append=len(values))


def _length(u: NDArray[np.complex128]) -> Floats:
    """|u|²."""
    return np.asarray(u.real**2 + u.imag**2)


def _in_parts(values: Floats) -> Floats:
    """Values in parts of the largest, as alpha knows no unit."""
    return values / (np.abs(values).max(initial=0.0) or 1.0)


def _mean_ranks(values: Floats) -> Floats:
    return np.asarray(scipy.stats.rankdata(as_compared(values)))


LEVELS = {
    "nominal": Level(as_compared, nominal),
    "ordinal": Level(_mean_ranks, squared),
    "interval": Level(_in_parts, squared),
    "ratio": Level(np.log, ratios),
}
