"""The sums of squared differences behind Krippendorff's alpha, at each level of measurement.

Each function takes values side by side by item, and draws of items; it returns, for each draw,

    observed   Σ over items of Σ over ordered pairs of its values of δ² / (m - 1)
    expected   Σ over all ordered pairs of values of δ²

An item that is drawn twice counts as two items. The definitions of δ² are those of `alpha`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from evaluation.scaling.flat import as_compared
from evaluation.scaling.resamples import Resamples

Floats = NDArray[np.float64]


class Pairable(NamedTuple):
    """Values of items with at least two of them, item by item."""

    values: Floats  # (n,)
    counts: NDArray[np.int64]  # (items,)

    @property
    def starts(self) -> NDArray[np.int64]:
        return np.cumsum(self.counts) - self.counts


class Sums(NamedTuple):
    """All of shape (draws,)."""

    values: Floats  # how many
    comparable: NDArray[np.bool_]  # whether two items were drawn, and any two values differ
    observed: Floats
    expected: Floats


def started(pairable: Pairable, draws: Resamples) -> Sums:
    """Sums to which nothing is added yet."""
    n, observed, expected = np.zeros((3, draws.number))
    comparable = np.zeros(draws.number, dtype=bool)
    if not len(pairable.counts):
        return Sums(n, comparable, observed, expected)
    compared = as_compared(pairable.values)
    smallest = np.minimum.reduceat(compared, pairable.starts)
    largest = np.maximum.reduceat(compared, pairable.starts)
    for part, weights in draws.chunks(2 * len(pairable.counts)):
        n[part] = weights @ pairable.counts
        drawn = weights > 0
        least = np.where(drawn, smallest, np.inf).min(axis=1)
        differ = np.where(drawn, largest, -np.inf).max(axis=1) > least
        comparable[part] = differ & (drawn.sum(axis=1) > 1)
    return Sums(n, comparable, observed, expected)


def nominal(pairable: Pairable, draws: Resamples) -> Sums:
    """δ² is 0 or 1: values are counted."""
    table, _ = _table(pairable)
    m = pairable.counts
    squares = (table**2).sum(axis=1)
    of_items = (m**2 - squares) / (m - 1)
    sums = started(pairable, draws)
    for part, weights in draws.chunks(max(table.shape)):
        sums.observed[part] = weights @ of_items
        sums.expected[part] = sums.values[part] ** 2 - ((table.T @ weights.T) ** 2).sum(axis=0)
    return sums


def ordinal(pairable: Pairable, draws: Resamples) -> Sums:
    """δ is the difference of mean ranks, which each draw has its own of."""
    table, value_of = _table(pairable)
    m = pairable.counts
    sums = started(pairable, draws)
    for part, weights in draws.chunks(2 * max(*table.shape, len(pairable.values))):
        n = sums.values[part]
        drawn = (table.T @ weights.T).T
        ranks = np.cumsum(drawn, axis=1) - drawn / 2 - n[:, np.newaxis] / 2  # their mean is 0
        of_values = ranks[:, value_of]
        first = np.add.reduceat(of_values, pairable.starts, axis=1)
        second = np.add.reduceat(of_values**2, pairable.starts, axis=1)
        sums.observed[part] = (weights * 2 * (m * second - first**2) / (m - 1)).sum(axis=1)
        sums.expected[part] = 2 * n * (drawn * ranks**2).sum(axis=1)
    return sums


def interval(pairable: Pairable, draws: Resamples) -> Sums:
    """δ² = (a - b)², in parts of the largest value: alpha knows no unit."""
    largest = np.abs(pairable.values).max(initial=0.0) or 1.0
    parts = pairable.values / largest
    off = parts - parts.mean() if parts.size else parts
    powers = np.stack([np.ones_like(off), off, off**2])
    sums = started(pairable, draws)
    if off.size:
        moments = np.add.reduceat(powers, pairable.starts, axis=-1)[np.newaxis]
        add_moments(sums, pairable, draws, moments, np.ones(1))
    return sums


def add_moments(
    sums: Sums, pairable: Pairable, draws: Resamples, moments: Floats, factors: Floats
) -> None:
    """Add what Σ over pairs of w w' (y - y')² = 2 (Σw Σw y² - (Σw y)²) comes to.

    Parameters:
        moments: (k, 3, items): the items' sums of w, of w y and of w y², for each of k kinds of w
            and y.
        factors: (k,), with which these add up.
    """
    of_items = factors @ _scatter(moments) / (pairable.counts - 1)
    flat = moments.reshape(-1, len(of_items))
    for part, weights in draws.chunks(len(flat)):
        sums.observed[part] += weights @ of_items
        drawn = (flat @ weights.T).reshape(*moments.shape[:2], len(weights))
        sums.expected[part] += factors @ _scatter(drawn)


def _scatter(moments: Floats) -> Floats:
    """(k, 3, ...) to (k, ...)."""
    scatter = moments[:, 0] * moments[:, 2]
    scatter -= moments[:, 1] ** 2
    scatter *= 2
    return scatter


def _table(pairable: Pairable) -> tuple[csr_array, NDArray[np.int64]]:
    """How often each item has each distinct value, and which of these each value is."""
    distinct, value_of = np.unique(as_compared(pairable.values), return_inverse=True)
    items = np.repeat(np.arange(len(pairable.counts)), pairable.counts)
    shape = (len(pairable.counts), len(distinct))
    ones = np.ones(len(value_of))
    return csr_array((ones, (items, value_of)), shape=shape), value_of
