"""Flat scores: one array of values, and beside it the group that each value belongs to.

What all wings share: the checks of such arrays, values brought together by group, values as they
are compared, and groups drawn again and again.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.scaling import ScalingError

BITS = 40
CHUNK_SIZE = 2**20  # doubles; bounds the memory


class Grouped(NamedTuple):
    """Where the values of each group lie, once they are brought together."""

    order: NDArray[np.int64]  # (n,), puts values of one group side by side, smallest first
    starts: NDArray[np.int64]  # (used,), where in that order each group begins
    counts: NDArray[np.int64]  # (used,), how many values it has
    used: NDArray[np.int64]  # (used,), its code; groups without a value are left out


def validate_values(values: ArrayLike, positive: bool = False) -> NDArray[np.float64]:
    """A list of finite numbers as doubles, with 0 for -0; above zero if `positive`.

    >>> validate_values([1, 0], positive=True)
    Traceback (most recent call last):
        ...
    magnitudes.scaling.ScalingError: value 0.0 at place 1 is not a positive finite number
    """
    numbers = np.asarray(values, dtype=np.float64) + 0.0
    if numbers.ndim != 1:
        raise ScalingError(f"values must be one list, not of shape {numbers.shape}")
    bad = np.flatnonzero(~np.isfinite(numbers) | (positive & (numbers <= 0)))
    if bad.size:
        wanted = "positive finite" if positive else "finite"
        raise ScalingError(f"value {numbers[bad[0]]!s} at place {bad[0]} is not a {wanted} number")
    return numbers


def validate_codes(
    codes: ArrayLike, n_values: int, n_codes: int, name: str = "items"
) -> NDArray[np.int64]:
    """A group, from 0 to n_codes - 1, for each of n_values values.

    >>> validate_codes([0, 2], n_values=2, n_codes=2)
    Traceback (most recent call last):
        ...
    magnitudes.scaling.ScalingError: items must lie from 0 to 1
    """
    array = np.asarray(codes)
    if array.shape != (n_values,):
        raise ScalingError(f"{name} must hold one code for each of {n_values} values")
    if array.size and array.dtype.kind not in "iu":
        raise ScalingError(f"{name} must be whole numbers, not {array.dtype}")
    if array.size and not (array.min() >= 0 and array.max() < n_codes):
        raise ScalingError(f"{name} must lie from 0 to {n_codes - 1}")
    return array.astype(np.int64)


def grouped(values: NDArray[np.float64], codes: NDArray[np.int64]) -> Grouped:
    """Values side by side by group; sorted, so that a sum does not depend on who came first.

    >>> grouped(np.array([5.0, 2.0, 3.0]), np.array([4, 1, 4]))
    Grouped(order=array([1, 2, 0]), starts=array([0, 1]), counts=array([1, 2]), used=array([1, 4]))
    """
    order = np.argsort(values)
    order = order[np.argsort(codes[order], kind="stable")]
    used, starts, counts = np.unique(codes[order], return_index=True, return_counts=True)
    return Grouped(order, starts, counts, used)


def by_size(codes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The places of each group's values, one table for all groups of one size, smallest first.

    Rows are groups by their codes, (groups, size); within a row places ascend.

    >>> [places.tolist() for places in by_size(np.array([4, 1, 4, 7]))]
    [[[1], [3]], [[0, 2]]]
    """
    order = np.argsort(codes, kind="stable")
    _, starts, counts = np.unique(codes[order], return_index=True, return_counts=True)
    for size in np.unique(counts):
        yield order[starts[counts == size][:, np.newaxis] + np.arange(size)]


def places_within(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each value among those of its group, in their order, from 0.

    >>> places_within(np.array([4, 1, 4, 4]))
    array([0, 0, 1, 2])
    """
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    places = np.empty(len(codes), dtype=np.int64)
    places[order] = np.arange(len(codes)) - np.searchsorted(ordered, ordered)
    return places


def as_table(
    values: NDArray[np.float64], codes: NDArray[np.int64], empty: float
) -> NDArray[np.float64]:
    """Values with one row for each group, from 0, in their order; `empty` after a group's last.

    >>> as_table(np.array([5.0, 2.0, 3.0]), np.array([1, 0, 1]), empty=0)
    array([[2., 0.],
           [5., 3.]])
    """
    places = places_within(codes)
    shape = codes.max(initial=-1) + 1, places.max(initial=-1) + 1
    table = np.full(shape, empty, dtype=values.dtype)
    table[codes, places] = values
    return table


def summed(
    values: NDArray[np.float64], codes: NDArray[np.int64], n_codes: int
) -> NDArray[np.float64]:
    """The sum of each group's values, 0 without one; shape (n_codes,).

    >>> summed(np.array([5.0, 2.0, 3.0]), np.array([2, 0, 2]), 3)
    array([2., 0., 8.])
    """
    return np.bincount(codes, values, n_codes).astype(np.float64)


def as_compared(values: ArrayLike) -> NDArray[np.float64]:
    """Values to 40 binary (12 decimal) digits, so that nearly all that differ less are equal.

    Scores that are equal by the numbers may differ in the last of their 16 digits after they were
    normalised. Such a difference is not one between documents. Rounding is no tolerance: two
    values on both sides of an edge, where one is rounded down and the other up, still differ.

    >>> bool(np.ptp(as_compared([0.1 + 0.2, 0.3])) == 0)
    True
    """
    fraction, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    result: NDArray[np.float64] = np.ldexp(np.rint(np.ldexp(fraction, BITS)), exponent - BITS)
    return result


def chunks(number: int, width: int, size: int = 0) -> Iterator[slice]:
    """Some of `number` rows of so many doubles at a time, no more than `size`, or CHUNK_SIZE.

    >>> list(chunks(5, width=2, size=4))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max((size or CHUNK_SIZE) // max(width, 1), 1)
    for at in range(0, number, step):
        yield slice(at, min(at + step, number))


class Resamples(NamedTuple):
    """Draws of items with replacement, each draw of as many as there are.

    The same seed gives the same draws, however many are made at a time.
    """

    n_items: int
    number: int  # of draws
    seed: int

    def chunks(self, width: int) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Counts (draws, n_items), some draws at a time, and which draws they are.

        Parameters:
            width: how many doubles the caller needs for each draw.
        """
        random = np.random.default_rng(self.seed)
        for part in chunks(self.number, max(width, self.n_items)):
            rows = part.stop - part.start
            drawn = random.integers(self.n_items, size=(rows, self.n_items))
            drawn += self.n_items * np.arange(rows)[:, np.newaxis]
            counts = np.bincount(drawn.ravel(), minlength=rows * self.n_items)
            yield part, counts.reshape(rows, self.n_items).astype(np.float64)


def ratio(over: ArrayLike, under: ArrayLike) -> NDArray[np.float64]:
    """One over the other; NaN where that is not above 0.

    >>> ratio([1, 2], [4, 0])
    array([0.25,  nan])
    """
    part, whole = np.asarray(over, dtype=np.float64), np.asarray(under, dtype=np.float64)
    result = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def mean_and_sd(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and n-1 standard deviation over the first axis, NaN left out; NaN of too few."""
    known = ~np.isnan(values)
    number, total = known.sum(axis=0), np.where(known, values, 0).sum(axis=0)
    mean = ratio(total, number)
    squares = np.where(known, (values - mean) ** 2, 0).sum(axis=0)
    return mean, np.sqrt(ratio(squares, number - 1))
