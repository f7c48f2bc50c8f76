"""By how much documents stand below others of lower gain.

What a ranking loses in preference measures and in GAP is a sum over documents k,

    sum over k of  w_k · sum over documents l above k with G_l < G_k of  (G_k - G_l)

which is computed as merge sort counts inversions. Ranks are cut into blocks of the same size, and
inside a block all pairs are looked at. Two neighbouring blocks make one of twice the size: with
its documents in ascending order of gain, running sums over those of the upper half are read at
those of the lower half; and so on, until one block is the list. From the whole list down, the
documents of each half are in order once those of both are: n log n steps for n documents.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from magnitudes.measures import total

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]
CHUNK_SIZE = 1 << 17  # documents that are looked at together
BLOCK = 32  # ranks whose documents are looked at in pairs


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
    to_worthless = total(weights * gains * without)
    gains, weights = (
        np.pad(array, ((0, 0), (0, -array.shape[-1] % BLOCK))) for array in (gains, weights)
    )
    # Of equals the last comes first: none that stands above it then counts as of lower gain.
    order = gains.shape[-1] - 1 - np.argsort(gains[:, ::-1], axis=-1, kind="stable")
    in_order = (np.take_along_axis(array, order, axis=-1) for array in (gains, weights))
    return to_worthless + _in_blocks(gains, weights) + _across(order, *in_order)


def as_rows(array: NDArray[Any]) -> NDArray[Any]:
    """An array (..., n) as (lists, n)."""
    return array.reshape(math.prod(array.shape[:-1]), array.shape[-1])


def together(chosen: NDArray[np.bool_]) -> tuple[Integers, Integers, Integers]:
    """Of the chosen documents of lists (lists, documents), from the first list to the last: their
    rows, their columns, and their columns when those of a list are put together."""
    counts = np.count_nonzero(chosen, axis=-1)
    row = np.repeat(np.arange(len(chosen)), counts)
    before = np.cumsum(counts) - counts
    column = np.flatnonzero(chosen) - row * chosen.shape[-1]
    return row, column, np.arange(len(row)) - before[row]


def _in_blocks(gains: Floats, weights: Floats) -> Floats:
    """What documents lose to those above them in their block."""
    blocks = np.ascontiguousarray(gains.reshape(-1, BLOCK).T)
    lost = np.zeros(blocks.shape)
    for distance in range(1, BLOCK):
        lost[distance:] += np.maximum(blocks[distance:] - blocks[:-distance], 0)
    return total(lost.T.reshape(gains.shape) * weights)


def _across(ranks: Integers, gains: Floats, weights: Floats) -> Floats:
    """What documents lose to those above them in other blocks; all in ascending order of gain."""
    lists, size = gains.shape
    if size <= BLOCK:
        return np.zeros(lists)
    half = BLOCK << ((size - 1) // BLOCK).bit_length() - 1  # whatever zeros follow a list
    is_upper = ranks < half
    upper = np.flatnonzero(is_upper).reshape(lists, half)
    lower = np.flatnonzero(~is_upper).reshape(lists, size - half)
    above: list[NDArray[Any]] = [array.take(upper) for array in (ranks, gains, weights)]
    below: list[NDArray[Any]] = [array.take(lower) for array in (ranks - half, gains, weights)]
    row = np.arange(lists)[:, np.newaxis]
    count = lower - row * size - np.arange(size - half)  # of the upper half, with less gain
    worth = _running(above[1]).take(row * (half + 1) + count)
    lost = total(below[2] * (below[1] * count - worth))
    if size == 2 * half:
        halves = _across(*map(np.concatenate, zip(above, below, strict=True)))
        return lost + halves[:lists] + halves[lists:]
    return lost + _across(*above) + _across(*below)


def _running(terms: Floats) -> Floats:
    """The sums of the terms before each: one more than there are."""
    sums = np.zeros((len(terms), terms.shape[-1] + 1))
    np.cumsum(terms, axis=-1, out=sums[:, 1:])
    return sums
