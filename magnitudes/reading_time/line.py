"""Time on a document against its length: the line T_D(l) = a l + b, in seconds and words.

Smucker and Clarke (SIGIR 2012, section 3.2) fit one line to all first views of their study, by
least squares, and find 0.018 l + 7.8 with an adjusted R² of 0.12; views of duplicates do not depend
on length, and their mean, 6.8 ± 0.5 s, is near the constant 7.8 ± 0.7 s. In section 4 they propose
a line for each topic, from the assessors who judge it. Both are here.

Views of one worker are alike, so that errors of a and b are those of clusters (CR1): with e the
residuals, X the rows (1, l), and G workers,

    V = c (X'X)⁻¹ [sum over workers of  X_g' e_g e_g' X_g] (X'X)⁻¹,  c = G/(G-1) · (n-1)/(n-2)

Liang and Zeger, Biometrika 73(1), 1986; Cameron and Miller, J. Human Resources 50(2), 2015.

Where time is that of judging, it includes writing the justification, and a study that demands a
least number of seconds has no shorter ones: the line is then flatter at short documents than that
of reading. Nothing here corrects for it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.files.lazy import scipy
from magnitudes.reading_time import ReadingError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MIN_VIEWS = 3  # views: two points are on a line whatever they are
NEAR = 1e-12  # relative differences below are those of arithmetic


class Lines(NamedTuple):
    """One line for each group, all of shape (groups,); `reasons` says why a number is NaN."""

    slope: Floats  # seconds per word
    intercept: Floats  # seconds
    slope_error: Floats
    intercept_error: Floats
    r2: Floats  # adjusted
    mean: Floats  # seconds, with the error of clusters
    mean_error: Floats
    views: Ints
    workers: Ints
    reasons: tuple[str, ...]


def reading_lines(
    words: ArrayLike,
    seconds: ArrayLike,
    workers: ArrayLike,
    groups: ArrayLike | None = None,
    size: int | None = None,
) -> Lines:
    """The line of time on length, for all views or for each group of them.

    Parameters:
        words, seconds, workers: shape (views,): the document's length, the time on it, and whole
            numbers for workers.
        groups: shape (views,), numbers of groups from 0, such as topics, or first views (0) and
            views of repeated documents (1); one group, if not given.
        size: how many groups there are; as many as `groups` names, if not given.

    Returns:
        Shapes (groups,). Fewer than 3 views, or documents of one length alone, have no line; one
        worker alone has no error; seconds that are all equal have no R². Then NaN, and a reason.

    Raises:
        ReadingError: arrays that do not fit; lengths or seconds that are negative or not finite.

    >>> lines = reading_lines([100, 200, 300, 400], [10, 11, 14, 15], [1, 1, 2, 3])
    >>> lines.slope.round(4), lines.intercept.round(4), lines.r2.round(4)
    (array([0.018]), array([8.]), array([0.9294]))
    >>> lines.slope_error.round(5), lines.intercept_error.round(4), lines.reasons
    (array([0.00127]), array([0.2121]), ('',))
    """
    length, time, worker = _validate(words, seconds, workers)
    group, n_groups = _groups(groups, len(time), size)
    n = np.bincount(group, minlength=n_groups)
    mean_l, mean_t = (
        _ratio(np.bincount(group, terms, n_groups), n, n > 0) for terms in (length, time)
    )
    dl, dt = length - mean_l[group], time - mean_t[group]  # against cancellation
    level = np.bincount(group, np.abs(dl) > NEAR * mean_l[group], n_groups) == 0
    flat = np.bincount(group, np.abs(dt) > NEAR * mean_t[group], n_groups) == 0
    has_line = (n >= MIN_VIEWS) & ~level
    sll, slt, stt = (np.bincount(group, terms, n_groups) for terms in (dl * dl, dl * dt, dt * dt))
    slope = _ratio(slt, sll, has_line)
    left = dt - slope[group] * dl
    see = np.bincount(group, left**2, n_groups)
    r2 = 1 - _ratio(see * (n - 1), stt * (n - 2), has_line & ~flat)
    of_pair, pair = _pairs(group, worker)
    workers_in = np.bincount(of_pair, minlength=n_groups)
    a, b, mean = _errors(group, of_pair, pair, (dl, dt, left), mean_l, sll, has_line)
    return Lines(
        *(slope, mean_t - slope * mean_l, a, b, r2, mean_t, mean, n, workers_in),
        tuple(map(_reason, n, level, workers_in, flat)),
    )


def _errors(
    group: Ints,
    of_pair: Ints,
    pair: Ints,
    views: tuple[Floats, Floats, Floats],
    mean_l: Floats,
    sll: NDArray[Any],
    has_line: NDArray[np.bool_],
) -> tuple[Floats, Floats, Floats]:
    """CR1 of slope, intercept and mean, (groups,); `pair`: of group and worker, of each view."""
    dl, dt, left = views
    n_groups = len(sll)
    n, g = np.bincount(group, minlength=n_groups), np.bincount(of_pair, minlength=n_groups)
    line = _ratio(g * (n - 1), (g - 1) * (n - 2), has_line & (g > 1))
    mean = _ratio(g, g - 1, g > 1)
    inverse = _ratio(np.ones(n_groups), sll, has_line)
    # What each worker moves the slope, the mean and the value at l = 0 by.
    slopes = np.bincount(pair, dl * left, len(of_pair)) * inverse[of_pair]
    means = np.bincount(pair, dt, len(of_pair)) / n[of_pair]
    ends = np.bincount(pair, left, len(of_pair)) / n[of_pair] - mean_l[of_pair] * slopes
    a, b, m = (np.bincount(of_pair, moves * moves, n_groups) for moves in (slopes, ends, means))
    return np.sqrt(line * a), np.sqrt(line * b), np.sqrt(mean * m)


def _reason(views: int, level: bool, workers: int, flat: bool) -> str:
    if views < MIN_VIEWS:
        return f"{views} views: a line needs {MIN_VIEWS}"
    if level:
        return "all documents have the same length"
    if workers < 2:
        return "one worker alone: errors are not known"
    return "all times are the same: there is no R²" if flat else ""


def intervals(values: Floats, errors: Floats, workers: Ints) -> tuple[Floats, Floats]:
    """95% intervals by Student's t, with one degree of freedom less than there are workers.

    By the normal distribution, one in seven would miss where five workers judged a topic.

    >>> intervals(np.array([2.0]), np.array([0.1]), np.array([5]))
    (array([1.72235549]), array([2.27764451]))
    """
    half = scipy.special.stdtrit(np.maximum(workers - 1, 1), 0.975) * errors
    return values - half, values + half


def repeated(workers: ArrayLike, documents: ArrayLike) -> NDArray[np.bool_]:
    """Whether the worker has seen the document, or a duplicate of it, before: shape (views,).

    `workers`, `documents`: whole numbers, views in the order in which they were; duplicates of one
    another have one number.

    >>> repeated([1, 1, 2, 1], [7, 8, 7, 7])
    array([False, False, False,  True])
    """
    pairs = np.stack([np.asarray(workers), np.asarray(documents)], axis=-1).astype(np.int64)
    _, first = np.unique(pairs, axis=0, return_index=True)
    again = np.ones(len(pairs), dtype=bool)
    again[first] = False
    return again


def _pairs(group: Ints, who: Ints) -> tuple[Ints, Ints]:
    """Of each pair of group and worker its group; of each view its pair."""
    keys, pair = np.unique(np.stack([group, who]), axis=1, return_inverse=True)
    return keys[0], pair.ravel()


def _ratio(above: NDArray[Any], below: NDArray[Any], where: NDArray[np.bool_]) -> Floats:
    ratio = np.full(where.shape, np.nan)
    np.divide(above, below, out=ratio, where=where)
    return ratio


def _groups(groups: ArrayLike | None, views: int, size: int | None) -> tuple[Ints, int]:
    group = np.zeros(views, dtype=np.int64) if groups is None else np.asarray(groups)
    if group.shape != (views,) or (views and (group.dtype.kind not in "iub" or group.min() < 0)):
        raise ReadingError(f"groups must be one whole number from 0 for each of {views} views")
    named = int(group.max(initial=-1)) + 1
    n_groups = size if size is not None else named if groups is not None else 1
    if n_groups < named:
        raise ReadingError(f"group {named - 1} is not one of {n_groups}")
    return group.astype(np.int64), n_groups


def _validate(
    words: ArrayLike, seconds: ArrayLike, workers: ArrayLike
) -> tuple[Floats, Floats, Ints]:
    length, time = (np.asarray(array, dtype=np.float64) for array in (words, seconds))
    worker = np.asarray(workers)
    if length.ndim != 1 or not length.shape == time.shape == worker.shape:
        raise ReadingError(
            f"words {length.shape}, seconds {time.shape} and workers {worker.shape} must be "
            "one number for each view"
        )
    for name, array in (("words", length), ("seconds", time)):
        bad = np.flatnonzero(~((array >= 0) & (array < np.inf)))
        if bad.size:
            raise ReadingError(
                f"{name} of view {bad[0]} are {array[bad[0]]}, expected 0 or more, and finite"
            )
    if worker.size and worker.dtype.kind not in "iu":
        raise ReadingError(f"workers must be whole numbers, not {worker.dtype}")
    return length, time, worker.astype(np.int64)
