"""By how much documents stand below others of lower gain.

What a ranking loses in preference measures and in GAP is a sum over documents k,

    sum over k of  w_k · sum over documents l above k with G_l < G_k of  (G_k - G_l)

which is computed without looking at pairs. Gains of a list are replaced by codes that number them
in ascending order. Two codes first differ in one binary digit; there the smaller has 0, the larger
has 1. So for each digit, documents are put together whose higher digits agree, in the order of
their ranks, and running sums over those with 0 are read at those with 1: n log n steps for n
documents, and as many digits as the number of different gains has.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.measures import total

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]
CELLS = 1 << 16  # documents that are looked at together


def misplaced(gains: Floats, without: NDArray[np.integer], weights: Floats) -> Floats:
    """The sum on top of this page, for each of many lists.

    Parameters:
        gains: shape (lists, documents), in rank order; 0 where padded.
        without: the same shape, how many documents without gain, which are not in `gains`, stand
            above each.
        weights: the same shape, w.

    Returns:
        Shape (lists,). Exactly 0 where no document stands below one of lower gain. To the last bit
        the same whatever other lists there are, and however far all are padded.

    1 above 2 above 4, and one without gain between the latter two: (1 + 0) + (3 + 2 + 4):

    >>> float(misplaced(np.array([[1.0, 2, 4]]), np.array([[0, 0, 1]]), np.ones((1, 3)))[0])
    10.0
    """
    found = total(weights * gains * without)
    codes = _codes(gains)
    begins = np.arange(len(gains))[:, np.newaxis] * gains.shape[-1]
    for digit in reversed(range(int(codes.max(initial=0)).bit_length())):
        order = begins + np.argsort(codes >> (digit + 1), axis=-1, kind="stable")
        codes, gains, weights = (array.take(order) for array in (codes, gains, weights))
        found += _at_digit(codes, gains, weights, digit)
    return found


def as_rows(array: NDArray[Any]) -> NDArray[Any]:
    """An array (..., n) as (lists, n)."""
    return array.reshape(math.prod(array.shape[:-1]), array.shape[-1])


def together(chosen: NDArray[np.bool_]) -> tuple[Integers, Integers, Integers]:
    """Of the chosen documents of lists (lists, documents), from the first list to the last: their
    rows, their columns, and their columns when those of a list are put together."""
    row, column = np.nonzero(chosen)
    counts = np.bincount(row, minlength=len(chosen))
    return row, column, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)


def _codes(gains: Floats) -> Integers:
    """The place of each gain among the different ones of its list, from 1; 0 is 0."""
    order = np.argsort(gains, axis=-1)
    steps = np.diff(np.take_along_axis(gains, order, axis=-1), axis=-1, prepend=0.0) > 0
    small = gains.shape[-1] < np.iinfo(np.uint16).max  # sorted by their digits, which is quicker
    codes = np.empty(gains.shape, np.uint16 if small else np.uint32)
    np.put_along_axis(codes, order, np.cumsum(steps, axis=-1, dtype=codes.dtype), axis=-1)
    return codes


def _at_digit(codes: Integers, gains: Floats, weights: Floats, digit: int) -> Floats:
    """What documents lose to those above them whose codes first differ from theirs in a digit."""
    lists, documents = codes.shape
    groups = codes >> (digit + 1)
    begins = np.zeros(codes.shape, dtype=np.int64)
    begins[:, 1:] = np.arange(1, documents) * (groups[:, 1:] > groups[:, :-1])
    np.maximum.accumulate(begins, axis=-1, out=begins)
    lower = (codes >> digit & 1 == 0).astype(np.float64)
    row, upper = np.nonzero(lower == 0)
    count, worth = _running(lower), _running(lower * gains)
    begin = row * (documents + 1) + begins[row, upper]
    here = row * (documents + 1) + upper
    above = count.take(here) - count.take(begin)
    lost = gains[row, upper] * above - (worth.take(here) - worth.take(begin))
    return np.bincount(row, weights[row, upper] * lost, minlength=lists).astype(np.float64)


def _running(terms: Floats) -> Floats:
    """The sums of the terms before each: one more than there are."""
    sums = np.zeros((len(terms), terms.shape[-1] + 1))
    np.cumsum(terms, axis=-1, out=sums[:, 1:])
    return sums
