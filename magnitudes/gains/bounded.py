"""Magnitudes as ratings on a scale with two ends, for gains that need a highest rating."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.scaling.groups import as_compared

DIGITS = 12


class Bounded(NamedTuple):
    """Ratings from 0 to the number of steps, and how many scores were beyond an end."""

    ratings: NDArray[np.float64]
    below: int
    above: int


def bounded(scores: ArrayLike, n_k: ArrayLike, h_k: ArrayLike, steps: int | None = None) -> Bounded:
    """How far up from N_k to H_k a normalised score is, in ratios: 0 for N_k, 1 for H_k.

        u = log(score / n_k) / log(h_k / n_k),   cut off at 0 and 1

    Unanimity-aware gain (see `unanimity`) compares the largest and the smallest rating with Dmax,
    the highest there can be; magnitudes have no highest. What bounds them are the anchors: every
    worker has judged both, and saw them as not and as highly relevant. Scores are ratios, and
    those of one document are spread about evenly in their logarithms; so equal ratios are equal
    steps here, as they would not be if (score - n_k) / (h_k - n_k) were taken. At or below N_k a
    rating is 0, and only so can RawG be 0, which equation (2) asks for.

    u is taken to 12 digits: scores that are equal by the numbers, but not in their last digit after
    they were normalised, have the same rating, and one of N_k is 0, not nearly so.

    What is lost is how much better than H_k a document is. And u is no longer a magnitude but
    something like a level: its UG is to be compared with the RawG of the same u, not with the
    aggregated score. As the scale is continuous, D is hardly ever 0; with `steps`, ratings that
    are nearly the same are the same.

    Parameters:
        scores: any shape, normalised scores.
        n_k, h_k: the gains of the anchors of each score's topic; shapes that broadcast.
        steps: None for real ratings from 0 to 1; a whole number for ratings 0, 1, ... steps, the
            nearest to steps · u, an even one of two. Dmax is then `steps`, else 1.

    Returns:
        `ratings` of the broadcast shape, without unit; how many scores were `below` n_k and
        `above` h_k. NaN where a score or an anchor is NaN, and where h_k is not above n_k, to 12
        digits: such a topic has no scale.

    Raises:
        GainError: scores or anchors that are not positive and finite; fewer than one step.

    >>> bounded([1, 2, 4, 8, 20], n_k=2, h_k=8)
    Bounded(ratings=array([0. , 0. , 0.5, 1. , 1. ]), below=1, above=1)
    >>> bounded([2.5, 4, 6], n_k=2, h_k=8, steps=3).ratings
    array([0., 2., 2.])
    """
    score, low, high = np.broadcast_arrays(
        _validate(scores, "score"), _validate(n_k, "n_k"), _validate(h_k, "h_k")
    )
    if steps is not None and steps < 1:
        raise GainError(f"a scale needs at least 1 step, not {steps}")
    usable = (as_compared(high) > as_compared(low)) & ~np.isnan(score)
    u = np.full(score.shape, np.nan)
    np.divide(np.log(score) - np.log(low), np.log(high) - np.log(low), out=u, where=usable)
    u = np.round(u, DIGITS)
    cut = np.clip(u, 0, 1)
    ratings = cut if steps is None else np.rint(cut * steps)
    return Bounded(ratings, int((u < 0).sum()), int((u > 1).sum()))


def _validate(values: ArrayLike, name: str) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    bad = numbers[(numbers <= 0) | np.isinf(numbers)]
    if bad.size:
        raise GainError(f"{name} {bad[0]} is not a positive finite number")
    return numbers
