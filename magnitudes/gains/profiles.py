"""What people give for the levels of a scale, beside the gains that are usually chosen for them.

Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 8: Figure 14 shows the
magnitudes of each level as multiples of the unit's N_k, Figure 15 the ratios of magnitudes of
documents of higher and of lower levels within a unit. Both are free of the number habits of
workers, so raw and normalised scores give the same.

Scores have the shape (units, unit size); so have their labels, NaN where a document has none.
Levels are whole numbers from 0, not relevant, to the top level; a negative label is level 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.gains.levels import linear
from magnitudes.scaling.groups import as_compared
from magnitudes.spread.spread import Boxes, boxes

Floats = NDArray[np.float64]
ABOVE_PROFILE, ABOVE_RATIO = 20.0, 3.5  # where the figures are cut off


class Profile(NamedTuple):
    """Magnitudes over N_k by level, all of shape (levels,), and two usual profiles of gains."""

    boxes: Boxes
    above: NDArray[np.int64]  # how many magnitudes are above the limit
    linear: Floats  # level + 1
    exponential: Floats  # 2^(level + 1)


class Ratios(NamedTuple):
    """Ratios within units, all of shape (3,); `reason` says why there is none, or is empty."""

    names: tuple[str, str, str]
    boxes: Boxes  # counts, median and mean among them
    above: NDArray[np.int64]  # how many ratios are above the limit
    reason: str
    values: Floats  # (n,), all ratios
    groups: NDArray[np.int64]  # (n,), of which of the three each is


def profile(
    scores: ArrayLike,
    labels: ArrayLike,
    n_k: ArrayLike,
    top: int | None = None,
    limit: float = ABOVE_PROFILE,
) -> Profile:
    """Magnitudes as multiples of their unit's N_k, by level: Figure 14.

    Parameters:
        scores, labels: shape (units, unit size); see the top of this page.
        n_k: shape (units,), in which column of its row each unit has its N_k. It counts among its
            level too, as 1.
        top: the top level of the scale; the largest label if not given.
        limit: above which magnitudes are counted apart.

    Returns:
        Shapes (levels,), levels from 0 to `top`: boxes of the magnitudes, how many are `above` the
        limit, and as gains beside them level + 1 (`linear`) and 2^(level + 1) (`exponential`). A
        level that no document has is NaN. Magnitudes are compared to 12 digits.

    Raises:
        GainError: arrays that do not fit; scores that are not positive and finite; labels that are
            not whole or above the top.

    >>> result = profile([[2, 4, 10], [1, 3, 3]], [[0, 1, 2], [0, 1, float("nan")]], n_k=[0, 0])
    >>> result.boxes.median, result.linear, result.exponential
    (array([1. , 2.5, 5. ]), array([1., 2., 3.]), array([2., 4., 8.]))
    """
    numbers, levels, top = _validate(scores, labels, top)
    columns = np.asarray(n_k)
    units, size = numbers.shape
    if columns.shape != (units,) or (units and columns.dtype.kind not in "iu"):
        raise GainError(f"n_k must hold one column for each of {units} units")
    if units and not (columns.min() >= 0 and columns.max() < size):
        raise GainError(f"n_k must lie from 0 to {size - 1}")
    unit, column = np.nonzero(~np.isnan(levels))
    magnitudes = _quotients(numbers, unit, column, columns[unit])
    level = levels[unit, column].astype(np.int64)
    steps = np.arange(top + 1, dtype=np.float64)
    return Profile(
        boxes(magnitudes, level, top + 1),
        np.bincount(level[magnitudes > limit], minlength=top + 1),
        steps + 1,
        np.exp2(steps + 1),
    )


def level_ratios(
    scores: ArrayLike, labels: ArrayLike, top: int | None = None, limit: float = ABOVE_RATIO
) -> Ratios:
    """Ratios of the scores of higher and of lower levels, all pairs within each unit: Figure 15.

    For the levels N, M, R, H of the paper the three boxes are H/R; H over R or M; and H or R over
    M; the last two in units with a document of level M alone. On a scale from 0 to L they become

    - the top level L over the second, L - 1;
    - the top level over all lower relevant ones, 1 to L - 1, in units with a document of level 1;
    - the upper two levels, without level 1, over the lowest relevant one, level 1.

    On a scale of three levels all three are 2/1. A binary scale has but one relevant level.

    Parameters:
        scores, labels: shape (units, unit size); see the top of this page.
        top: the top level; the largest label if not given.
        limit: above which ratios are counted apart.

    Returns:
        The `names` of the three, such as "3/2", "3/1-2", "2-3/1", and their `boxes`, with counts,
        medians and means; NaN where there is no pair. Ratios are compared to 12 digits. At most
        unit size² / 4 ratios come of a unit.

    Raises:
        GainError: as `profile`.

    >>> result = level_ratios([[8, 4, 2, 1], [6, 3, 1, 1]], [[3, 2, 1, 0], [3, 2, 0, 0]])
    >>> result.names, result.boxes.counts, result.boxes.median
    (('3/2', '3/1-2', '2-3/1'), array([2, 2, 2]), array([2., 3., 3.]))
    """
    numbers, levels, top = _validate(scores, labels, top)
    if top < 2:
        names, reason = ("", "", ""), f"levels up to {top} have no two that are relevant"
        none = np.zeros(0, dtype=np.int64)
        return Ratios(
            names, boxes([], [], 3), np.zeros(3, dtype=np.int64), reason, np.zeros(0), none
        )
    with_lowest = (levels == 1).any(axis=1, keepdims=True)
    second = max(top - 1, 2)
    upper = levels == top, (levels == top) & with_lowest, levels >= second
    lower = levels == top - 1, (levels >= 1) & (levels < top), levels == 1
    parts = [_pairs(numbers, over, under) for over, under in zip(upper, lower, strict=True)]
    ratios, box = np.concatenate(parts), np.repeat(np.arange(3), [len(part) for part in parts])
    return Ratios(
        (f"{top}/{top - 1}", f"{top}/{_span(1, top - 1)}", f"{_span(second, top)}/1"),
        boxes(ratios, box, 3),
        np.bincount(box[ratios > limit], minlength=3),
        "" if ratios.size else "no unit has documents of two relevant levels",
        ratios,
        box,
    )


def _span(first: int, last: int) -> str:
    return f"{first}-{last}" if first < last else str(first)


def _pairs(scores: Floats, upper: NDArray[np.bool_], lower: NDArray[np.bool_]) -> Floats:
    """The ratios of all pairs of one upper and one lower document of a unit."""
    (unit, over), (_, under) = np.nonzero(upper), np.nonzero(lower)
    partners = lower.sum(axis=1)  # of an upper document, by unit; they stand side by side
    first = (np.cumsum(partners) - partners)[unit]
    pairs = partners[unit]
    nth = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    return _quotients(
        scores, np.repeat(unit, pairs), np.repeat(over, pairs), under[np.repeat(first, pairs) + nth]
    )


def _quotients(
    scores: Floats, unit: NDArray[np.int64], over: NDArray[np.int64], under: NDArray[np.int64]
) -> Floats:
    return as_compared(scores[unit, over] / scores[unit, under])


def _validate(scores: ArrayLike, labels: ArrayLike, top: int | None) -> tuple[Floats, Floats, int]:
    """Scores, levels from 0, and the top level."""
    numbers, known = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if numbers.ndim != 2 or known.shape != numbers.shape:
        raise GainError(
            f"scores {numbers.shape} and labels {known.shape} must both be (units, unit size)"
        )
    bad = np.argwhere(~((numbers > 0) & (numbers < np.inf)))
    if bad.size:
        unit, column = bad[0]
        raise GainError(
            f"score {numbers[unit, column]} of unit {unit}, column {column} "
            "is not a positive finite number"
        )
    levels = np.where(np.isnan(known), np.nan, linear(np.nan_to_num(known, posinf=np.inf)).values)
    largest = int(np.nanmax(levels, initial=0))
    if (levels % 1 > 0).any() or (top is not None and largest > top):
        raise GainError(f"labels must be whole numbers up to {largest if top is None else top}")
    return numbers, levels, largest if top is None else top
