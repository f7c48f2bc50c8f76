"""Levels cut from magnitudes, for what asks for levels: agreement in categories, weights of levels.

A score is cut into levels 0, 1, ... by ascending thresholds: its level is the number of thresholds
that it reaches. They may be given, or be `anchor_thresholds`: every topic has its own, between the
gains of its two anchors, in equal steps of ratios. N_k is level 0, H_k the top level, and what lies
between has the nearest level:

    level = round((levels - 1) · log(s / N_k) / log(H_k / N_k)),   within 0 and levels - 1

Anchors are the only documents of which all topics know what they are worth, and scores are ratios.
Quantiles would give each topic as many documents of each level, whatever it has, and clusters would
move with the pool, and gather at the round numbers that people like. Here the level of a document
depends on nothing but its score and the anchors of its topic. Of two levels the threshold is
sqrt(N_k H_k), the one that measures of relevant documents take.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.scaling import ScalingError
from magnitudes.scaling.groups import as_compared, validate_codes, validate_values

Floats = NDArray[np.float64]
MISSING = -1


def cut(
    normalised: ArrayLike, thresholds: ArrayLike, topics: ArrayLike | None = None
) -> NDArray[np.int64]:
    """The level of each score: how many thresholds it reaches.

    Parameters:
        normalised: shape (n,), normalised scores; NaN for none.
        thresholds: shape (levels - 1,), ascending and positive, in the unit of the scores; or
            (topics, levels - 1), and NaN for a topic without.
        topics: shape (n,), the row of thresholds for each score; needed where these have rows.

    Returns:
        Shape (n,), from 0 to levels - 1; -1 for a score that is NaN, and in a topic without
        thresholds. A score on a threshold has the higher level; the two are compared to 12 digits.

    Raises:
        ScalingError: scores or thresholds that are not positive and finite; thresholds that
            descend, or of another shape; topics out of range.

    >>> cut([0.5, 2, 3, 40, float("nan")], [2, 8])
    array([ 0,  1,  1,  2, -1])
    >>> cut([3, 3], [[2, 8], [1, 3]], topics=[0, 1])
    array([1, 2])
    """
    values = np.asarray(normalised, dtype=np.float64)
    known = ~np.isnan(values)
    scores = as_compared(validate_values(np.where(known, values, 1), positive=True))
    steps = as_compared(_ascending(thresholds))
    if steps.ndim == 2:
        if topics is None:
            raise ScalingError("thresholds of topics need the topic of each score")
        steps = steps[validate_codes(topics, len(scores), len(steps), "topics")]
    levels = (scores[:, np.newaxis] >= steps).sum(axis=1)
    levels[~known | np.isnan(steps).any(axis=-1)] = MISSING
    result: NDArray[np.int64] = levels.astype(np.int64)
    return result


def anchor_thresholds(n_k: ArrayLike, h_k: ArrayLike, n_levels: int) -> Floats:
    """Thresholds of each topic in equal ratios between its anchors; see the top of this page.

        N_k (H_k / N_k)^((j - 1/2) / (levels - 1)),   j = 1 .. levels - 1

    Parameters:
        n_k, h_k: shape (topics,), the aggregated scores of the anchors of each topic, which are
            surer than what one worker gave them; NaN where unknown.
        n_levels: how many levels there are to be, at least 2.

    Returns:
        Shape (topics, levels - 1); NaN for a topic whose H_k is not above its N_k.

    Raises:
        ScalingError: anchors that are not positive and finite; lists of different length; fewer
            than 2 levels.

    >>> anchor_thresholds([2, 1], [32, 4], 3)
    array([[ 4.        , 16.        ],
           [ 1.41421356,  2.82842712]])
    """
    _at_least_two(n_levels)
    low, high = np.asarray(n_k, dtype=np.float64), np.asarray(h_k, dtype=np.float64)
    if low.ndim != 1 or low.shape != high.shape:
        raise ScalingError(f"n_k {low.shape} and h_k {high.shape} must be lists of one length")
    for anchors, name in ((low, "n_k"), (high, "h_k")):
        bad = np.flatnonzero((anchors <= 0) | np.isinf(anchors))
        if bad.size:
            raise ScalingError(f"{name} of topic {bad[0]}, {anchors[bad[0]]}, is not positive")
    below, above = np.log(low)[:, np.newaxis], np.log(high)[:, np.newaxis]
    at = (np.arange(1, n_levels) - 0.5) / (n_levels - 1)
    thresholds = np.exp(below + (above - below) * at)
    thresholds[~(as_compared(high) > as_compared(low))] = np.nan
    return thresholds


def _at_least_two(n_levels: int) -> None:
    if n_levels < 2:
        raise ScalingError(f"scores are cut into at least 2 levels, not {n_levels}")


def _ascending(thresholds: ArrayLike) -> Floats:
    steps = np.asarray(thresholds, dtype=np.float64)
    if steps.ndim not in (1, 2) or not steps.shape[-1]:
        raise ScalingError(
            f"thresholds must have the shape (levels - 1,) or (topics, levels - 1), not "
            f"{steps.shape}"
        )
    bad = steps[(steps <= 0) | np.isinf(steps)]
    if bad.size or (steps.ndim == 1 and np.isnan(steps).any()):
        raise ScalingError(f"thresholds {thresholds!r} must be positive and finite")
    if (np.diff(steps, axis=-1) < 0).any():
        raise ScalingError(f"thresholds {thresholds!r} must ascend")
    return steps
