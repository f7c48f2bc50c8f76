"""The sums of squared differences behind Krippendorff's alpha, at each level of measurement.

Every level prepares the values, and then sums δ² over all ordered pairs: within each item, and
across all items together. No table of values by values is made, so that tens of thousands of
distinct values take a fraction of a second. The definitions of δ² are those of `alpha`.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.files.lazy import scipy
from magnitudes.scaling.groups import BITS, as_compared, by_size

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
FAR = 40.0  # of logarithms: e^-40 is as good as 0 beside 1
HIGHEST = 12.5  # frequency: beyond it ω / sinh(πω) is as good as 0
NO_DIFFERENCE = 2.0 ** (-2 * BITS)  # δ² of values that count as equal
MAX_PAIRED = 200  # values of an item; of more, waves are faster than pairs


class Sums(NamedTuple):
    """Σ δ² over ordered pairs of values: within each item, and what it is across items is made of.

    Where item i counts w_i times, the pairs of all values have, with c = counts and s = squares,
    (w · c) (w · s) - |w · parts|².
    """

    within: Floats  # (items,), pairs of values of one item
    squares: Floats  # (items,)
    parts: Any  # (items, k), an array or a sparse one

    def across(self, counts: Ids) -> float:
        """Σ δ² over the pairs of all values; counts: (items,), how many each item has."""
        whole = np.asarray(self.parts.sum(axis=0))
        return float(counts.sum() * self.squares.sum() - (whole**2).sum())


class Level(NamedTuple):
    """A level of measurement: what is compared of values, and the sums of its δ².

    sums: takes prepared values, item by item, and the place where each item begins; within: the
    same, for `Sums.within` alone; rows: of each value Σ δ² to those of its item, (n,).
    """

    prepare: Callable[[Floats], Floats]
    sums: Callable[[Floats, Ids], Sums]
    within: Callable[[Floats, Ids], Floats]
    rows: Callable[[Floats, Ids], Floats]
    by_ranks: bool = False  # values are compared by their ranks among all


def nominal(values: Floats, starts: Ids) -> Sums:
    """δ² is 0 for equal values and 1 for others: values are counted.

    >>> sums = nominal(np.array([1.0, 2, 2, 2]), np.array([0, 2]))
    >>> sums.within, sums.across(np.array([2, 2]))
    (array([2., 0.]), 6.0)
    """
    counts = _counts(values, starts)
    items = np.repeat(np.arange(len(starts)), counts)
    codes = np.unique(values, return_inverse=True)[1]
    table = scipy.sparse.coo_array((np.ones(len(values)), (items, codes))).tocsr()
    equal: Floats = np.asarray((table**2).sum(axis=1))
    return Sums(np.asarray(counts**2 - equal, dtype=np.float64), counts.astype(np.float64), table)


def squared(values: Floats, starts: Ids) -> Sums:
    """δ² = (a - b)²: Σ over the pairs of m values is 2 m Σ (a - mean)².

    >>> sums = squared(np.array([1.0, 2, 4, 4]), np.array([0, 2]))
    >>> sums.within, round(sums.across(np.array([2, 2])), 12)
    (array([2., 0.]), 54.0)
    """
    centred = values - values.mean()
    squares = np.asarray(2 * np.add.reduceat(centred**2, starts))
    parts = np.sqrt(2) * np.add.reduceat(centred, starts)[:, np.newaxis]
    return Sums(squared_within(values, starts), squares, parts)


def squared_within(values: Floats, starts: Ids) -> Floats:
    """Σ of (a - b)² over the pairs of values of each item."""
    counts = _counts(values, starts)
    means = np.add.reduceat(values, starts) / counts
    within = np.add.reduceat((values - np.repeat(means, counts)) ** 2, starts)
    return np.asarray(2.0 * counts * within)


def ratios(logs: Floats, starts: Ids) -> Sums:
    """δ² = ((a - b) / (a + b))², of the logarithms x = ln a and y = ln b.

    With d = x - y, δ² is tanh²(d / 2), which is a sum of waves:

        tanh²(d / 2) = ∫ from 0 to ∞ of  4 ω / sinh(π ω) · (1 - cos ω d) dω

    and Σ over all pairs of 1 - cos ω (x - y) is n Σ |u|² - |Σ u|² with u = e^(iωx) - 1, for which
    one pass over the values does. The integral is taken by the trapezoid rule, which is exact here
    but for rounding: with steps of 2π / (range + 40) the error is that of e^-40.

    >>> sums = ratios(np.log([1.0, 3, 2, 2]), np.array([0, 2]))
    >>> sums.within.round(12), round(sums.across(np.array([2, 2])), 12)
    (array([0.5, 0. ]), 1.104444444444)
    """
    counts = _counts(logs, starts)
    within, squares = np.zeros(len(starts)), np.zeros(len(starts))
    parts = []
    for weight, u in _waves(logs):
        first, second = np.add.reduceat(u, starts), np.add.reduceat(_length(u), starts)
        within += weight * (counts * second - _length(first))
        squares += weight * second
        parts += [np.sqrt(weight) * first.real, np.sqrt(weight) * first.imag]
    return Sums(np.maximum(within, 0), squares, np.array(parts).T)


def paired_within(logs: Floats, starts: Ids) -> Floats:
    """Σ of ((a - b) / (a + b))² over the pairs of values of each item, of their logarithms.

    Pair by pair, which is faster than waves for the few values of a usual item.

    >>> paired_within(np.log([1.0, 3, 2, 2]), np.array([0, 2])).round(12)
    array([0.5, 0. ])
    """
    items = np.repeat(np.arange(len(starts)), _counts(logs, starts))
    within, values = np.zeros(len(starts)), np.exp(logs - logs.mean())
    for places in by_size(items):
        rows, size = items[places[:, 0]], places.shape[1]
        if size > MAX_PAIRED:
            within[rows] = ratios(logs[places].ravel(), size * np.arange(len(rows))).within
            continue
        columns = np.ascontiguousarray(values[places].T)
        for lag in range(1, size):
            a, b = columns[lag:], columns[:-lag]
            within[rows] += 2 * (((a - b) / (a + b)) ** 2).sum(axis=0)
    return within


def nominal_rows(values: Floats, starts: Ids) -> Floats:
    """How many values of its item differ from each value."""
    counts = _counts(values, starts)
    items = np.repeat(np.arange(len(starts)), counts)
    cells = np.stack([items, values])
    _, of, equal = np.unique(cells, axis=1, return_inverse=True, return_counts=True)
    return (np.repeat(counts, counts) - equal[of.ravel()]).astype(np.float64)


def squared_rows(values: Floats, starts: Ids) -> Floats:
    """Σ of (a - b)² from each value a to those of its item."""
    counts = _counts(values, starts)
    m = np.repeat(counts, counts)
    centred = values - np.repeat(np.add.reduceat(values, starts) / counts, counts)
    return np.asarray(m * centred**2 + np.repeat(np.add.reduceat(centred**2, starts), counts))


def ratio_rows(logs: Floats, starts: Ids) -> Floats:
    """Σ of ((a - b) / (a + b))² from each value a to those of its item, by waves."""
    counts = _counts(logs, starts)
    m, rows = np.repeat(counts, counts), np.zeros(len(logs))
    for weight, u in _waves(logs):
        length = _length(u)
        whole = np.repeat(np.add.reduceat(u, starts), counts)
        second = np.repeat(np.add.reduceat(length, starts), counts)
        rows += weight * (m * length + second - 2 * (u.conj() * whole).real)
    return np.maximum(rows / 2, 0)  # |u - v|² is twice 1 - cos


def _waves(logs: Floats) -> Iterator[tuple[float, NDArray[np.complex128]]]:
    """Of each frequency its weight in the integral, and u of every value."""
    centred = logs - logs.mean()
    step = 2 * np.pi / (np.ptp(centred) + FAR)
    turn = np.expm1(1j * step * centred)
    u = np.zeros_like(turn)
    for frequency in step * np.arange(1, HIGHEST / step):
        u += (1 + u) * turn  # not e^(iωx) - 1, where x near 0 would lose digits
        yield 4 * step * frequency / np.sinh(np.pi * frequency), u


def _nominal_within(values: Floats, starts: Ids) -> Floats:
    return nominal(values, starts).within


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
    "nominal": Level(as_compared, nominal, _nominal_within, nominal_rows),
    "ordinal": Level(_mean_ranks, squared, squared_within, squared_rows, by_ranks=True),
    "interval": Level(_in_parts, squared, squared_within, squared_rows),
    "ratio": Level(np.log, ratios, paired_within, ratio_rows),
}
