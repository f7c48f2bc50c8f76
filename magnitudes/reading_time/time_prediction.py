"""How well lines of time on length predict the times of units that they were not fitted to."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.reading_time import ReadingError
from magnitudes.reading_time.line import reading_lines

Floats = NDArray[np.float64]


class Predicted(NamedTuple):
    """Errors out of sample; NaN where nothing could be predicted, and `reason` says why."""

    median_error: float  # of absolute errors, in seconds
    mean_error: float
    r2: float  # 1 - squared errors / those of the group's mean time in the views fitted to
    views: int  # that were predicted
    unpredicted: int  # of groups without a line in the views fitted to
    folds: int
    seed: int
    reason: str


class HeldOut(NamedTuple):
    """Times of views as the units of the other folds predict them, both (views,).

    NaN where the views fitted to have no line for the group; `reason` says why all are.
    """

    line: Floats
    mean: Floats  # the mean time of the group in the views fitted to
    folds: int
    reason: str


def predicted(
    words: ArrayLike,
    seconds: ArrayLike,
    workers: ArrayLike,
    units: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
) -> Predicted:
    """Cross-validation by unit: each part of the units is predicted from all others.

    Units are dealt to the folds at random, so that no view helps to predict another of its unit.

    Parameters:
        words, seconds, workers, groups: as `line.reading_lines`; a line for each group.
        units: shape (views,), whole numbers.
        folds: how many parts; no more than there are units.
        seed: of the dealing.

    Raises:
        ReadingError: as `reading_lines`; units that do not fit; fewer than two folds.

    >>> result = predicted([100, 200, 300] * 4, [9, 10, 11] * 4, [1] * 12, [1, 2, 3, 4] * 3)
    >>> round(result.mean_error, 12), round(result.r2, 12), result.views
    (0.0, 1.0, 12)
    """
    out = held_out(words, seconds, workers, units, groups, folds=folds, seed=seed)
    time = np.asarray(seconds, dtype=np.float64)
    if out.reason:
        nan = float("nan")
        return Predicted(nan, nan, nan, 0, len(time), out.folds, seed, out.reason)
    known = ~np.isnan(out.line)
    return _summary(time[known], out.line[known], out.mean[known], len(time), out.folds, seed)


def held_out(
    words: ArrayLike,
    seconds: ArrayLike,
    workers: ArrayLike,
    units: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
) -> HeldOut:
    """What `predicted` summarises, view by view; parameters and errors are the same.

    >>> held_out([100, 200, 300] * 2, [9, 10, 11] * 2, [1] * 6, [1] * 3 + [2] * 3).line.round(6)
    array([ 9., 10., 11.,  9., 10., 11.])
    """
    length, time = (np.asarray(array, dtype=np.float64) for array in (words, seconds))
    worker, unit = np.asarray(workers), np.asarray(units)
    group = np.zeros(time.shape, dtype=np.int64) if groups is None else np.asarray(groups)
    if unit.shape != time.shape or folds < 2:
        raise ReadingError(f"units {unit.shape} must be one for each view, and folds 2 or more")
    names, place = np.unique(unit, return_inverse=True)
    parts = min(folds, len(names))
    line, mean = np.full(time.shape, np.nan), np.full(time.shape, np.nan)
    if parts < 2:
        reading_lines(length, time, worker, group)  # raises where the arrays do not fit
        reason = "fewer than two units: none would be left to fit to"
        return HeldOut(line, mean, parts, reason)
    dealt = np.random.default_rng(seed).permutation(len(names)) % parts
    part, n_groups = dealt[place], int(group.max(initial=0)) + 1
    for fold in range(parts):
        out = part == fold
        lines = reading_lines(length[~out], time[~out], worker[~out], group[~out], n_groups)
        line[out] = lines.intercept[group[out]] + lines.slope[group[out]] * length[out]
        mean[out] = lines.mean[group[out]]
    return HeldOut(line, mean, parts, "")


def _summary(
    time: Floats, line: Floats, mean: Floats, views: int, parts: int, seed: int
) -> Predicted:
    left = views - len(time)
    if not len(time):
        nan = float("nan")
        return Predicted(nan, nan, nan, 0, left, parts, seed, "no group has a line without them")
    errors = np.abs(time - line)
    around = float(((time - mean) ** 2).sum())
    r2 = 1 - float((errors**2).sum()) / around if around > 0 else float("nan")
    reason = "" if around > 0 else "all times are the same: there is no R²"
    return Predicted(
        float(np.median(errors)), float(errors.mean()), r2, len(time), left, parts, seed, reason
    )
