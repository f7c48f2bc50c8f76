"""Unanimity-aware gain: what many people agree on is worth more than what divides them.

Tetsuya Sakai, Unanimity-Aware Gain for Highly Subjective Assessments, EVIA 2017. Of N ratings of an
item, each from 0 to Dmax:

    RawG = sum of the ratings
    D    = largest rating - smallest rating
    WG   = (1 - D / Dmax) RawG                                    equation (1)
    UG   = RawG + p N (Dmax - D)   if RawG > 0, else 0            equation (2)

WG is what the paper makes of Li and Yoshikawa (AIRS 2016), and argues against: a divided item is
worth nothing, however high its ratings. UG adds to a unanimous item as much as p N further people
would who give it the highest rating. At p = 0 it is RawG, and it is never above (1 + p) N Dmax.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.scaling.groups import validate_codes

Floats = NDArray[np.float64]
P = 0.2  # the paper's


class Unanimity(NamedTuple):
    """Gains of items, all of shape (items,); NaN for one without a rating."""

    raw: Floats  # RawG
    spread: Floats  # D
    weighted: Floats  # WG
    aware: Floats  # UG
    short: NDArray[np.bool_]  # marked: it has ratings, but fewer than N


class Simulated(NamedTuple):
    """Ratings that nobody gave."""

    ratings: NDArray[np.int64]  # (items, n)
    seed: int


def unanimity(
    items: ArrayLike, ratings: ArrayLike, n_items: int, d_max: float, n: int, p: float = P
) -> Unanimity:
    """RawG, D, WG and UG of items that were rated by different numbers of people.

    Parameters:
        items: shape (ratings,), whole numbers from 0, the item that each rating is of.
        ratings: shape (ratings,), real numbers from 0 to `d_max`, in order of completion.
        n_items: how many items there are.
        d_max: the highest rating there can be. On a scale of levels, one less than their number.
        n: N, how many ratings an item counts with: the redundancy of a study. Of an item with
            more, the first N count. An item with fewer gets RawG · N / its number, as if the
            missing ones had been like the others, and is marked in `short`. Its D can only be
            too small, and of a single rating it is 0; so look at the mark before its UG.
        p: how much unanimity counts, from 0 to 1; the paper takes 0.2.

    Returns:
        Gains in the unit of the ratings' sum; see `Unanimity`.

    Raises:
        GainError: ratings that do not fit the items or are outside the scale; a d_max not above 0;
            p outside [0, 1]; n below 1.
        ScalingError: items that are no codes from 0 to n_items - 1.

    >>> result = unanimity([0, 1, 0, 1, 0, 1], [2, 0, 2, 3, 2, 3], n_items=2, d_max=3, n=3)
    >>> result.raw, result.spread, result.aware.round(1)
    (array([6., 6.]), array([0., 3.]), array([7.8, 6. ]))
    """
    numbers = _validate(ratings, d_max, n, p)
    codes = validate_codes(items, len(numbers), n_items)
    order = np.argsort(codes, kind="stable")
    codes, numbers = codes[order], numbers[order]
    place = np.arange(len(codes)) - np.searchsorted(codes, codes)
    codes, numbers = codes[place < n], numbers[place < n]
    used, starts, counts = np.unique(codes, return_index=True, return_counts=True)
    raw, spread = np.full((2, n_items), np.nan)
    short = np.zeros(n_items, dtype=np.bool_)
    if len(used):
        # Divided last: a whole number of ratings then keeps its whole sum.
        raw[used] = np.add.reduceat(numbers, starts) * n / counts
        spread[used] = np.maximum.reduceat(numbers, starts) - np.minimum.reduceat(numbers, starts)
        short[used] = counts < n
    weighted = (1 - spread / d_max) * raw  # (1)
    aware = np.where(raw == 0, 0.0, raw + p * n * (d_max - spread))  # (2)
    return Unanimity(raw, spread, weighted, aware, short)


def usual_number(items: ArrayLike, n_items: int) -> int:
    """N where no redundancy is known: how many ratings most items have.

    Parameters:
        items: shape (ratings,), the item of each; those without one do not count.

    Returns:
        The larger of two numbers that are as frequent; 1 where there is no rating.

    >>> usual_number([0, 0, 1, 1, 2], n_items=4)
    2
    """
    item_of = np.asarray(items, dtype=np.int64)
    counts = np.bincount(item_of, minlength=n_items)
    items_with = np.bincount(counts[counts > 0], minlength=2)
    return len(items_with) - 1 - int(np.argmax(items_with[::-1]))


def simulated_ratings(labels: ArrayLike, d_max: int, n: int, seed: int = 0) -> Simulated:
    """Ratings made up as in section 4 of the paper, to see what unanimity could change at least.

    An item of level 0 is rated 0 by everybody; every other has n ratings drawn from 0, 1, ...
    d_max with equal chances. Nothing connects them, so that D is mostly near d_max: people, who
    agree more, would leave more to UG. The paper says "uniform over [0, Dmax]"; whole numbers are
    meant, as its scale has no others.

    Parameters:
        labels: shape (items,), levels; 0 and below is not relevant.
        d_max: the highest rating; the paper has 2, 4 and 8.
        n: how many ratings of each item; the paper has 5, 10, 20, 40 and 80.
        seed: what `numpy.random.default_rng` starts with.

    Returns:
        `ratings`, shape (items, n), and the `seed`.

    Raises:
        GainError: labels that are no list of numbers; d_max or n below 1.

    >>> simulated_ratings([0, 2, 1], d_max=4, n=5, seed=1).ratings
    array([[0, 0, 0, 0, 0],
           [0, 4, 4, 1, 1],
           [4, 2, 1, 4, 1]])
    """
    levels = np.asarray(labels, dtype=np.float64)
    if levels.ndim != 1 or np.isnan(levels).any():
        raise GainError("labels must be one list of numbers")
    if d_max < 1 or n < 1:
        raise GainError(f"d_max and n must be at least 1, not {d_max} and {n}")
    drawn = np.random.default_rng(seed).integers(0, d_max, (len(levels), n), endpoint=True)
    return Simulated(np.where(levels[:, np.newaxis] > 0, drawn, 0), seed)


def _validate(ratings: ArrayLike, d_max: float, n: int, p: float) -> Floats:
    numbers = np.asarray(ratings, dtype=np.float64)
    if numbers.ndim != 1:
        raise GainError(f"ratings must be one list, not of shape {numbers.shape}")
    if not 0 < d_max < np.inf:
        raise GainError(f"d_max must be a finite number above 0, not {d_max}")
    if not 0 <= p <= 1:
        raise GainError(f"p must lie from 0 to 1, not {p}")
    if n < 1:
        raise GainError(f"n, the ratings that an item counts with, must be at least 1, not {n}")
    bad = np.flatnonzero(~((numbers >= 0) & (numbers <= d_max)))
    if bad.size:
        raise GainError(f"rating {numbers[bad[0]]} at place {bad[0]} is not from 0 to {d_max}")
    return numbers
