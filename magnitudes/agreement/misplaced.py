"""Documents that lie among those of another level: where crowd and labels differ.

Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 6.2, read documents whose
median score was closer to the scores of another level's documents of the topic, and far from those
of their own, by eye. This is a rule that does the same.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement import AgreementError
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import validate_codes, validate_values

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Misplaced(NamedTuple):
    """How each document stands among the levels of its topic; all of shape (n,)."""

    own: Floats  # median gain of the others at its level
    fits: Floats  # the level whose median it is nearest to
    there: Floats  # the median gain of that level
    strength: Floats  # above 0: it is nearer to that one than to its own


def misplaced(
    gains: ArrayLike, labels: ArrayLike, topics: ArrayLike, *, ratios: bool = True
) -> Misplaced:
    """Whether a document's gain is nearer to those of another level than to those of its own.

        strength = (ln g - ln own)² - (ln g - m_l)²

    as in the logarithm of the odds of two log-normal levels of one spread: it grows with the
    distance of the two levels, and with how far the gain is beyond the middle between them. own is
    the median of ln g of the *other* documents with its label on its topic, so that a
    document does not speak for itself; m_l is the nearest median of ln g of another level,
    of those on the side to which the gain strays: of higher levels if it is above own, of lower
    ones if it is below.

    Parameters:
        gains: shape (n,), positive where they are ratios.
        labels: shape (n,), levels; any finite numbers.
        topics: shape (n,), whole numbers from 0.
        ratios: whether distances are those of logarithms; of gains that are levels, from 0, they
            are those of the levels themselves.

    Returns:
        See `Misplaced`. NaN: no other document of the topic has the same label (all four); no other
        level lies on that side (all but `own`). Of two levels as near, the lower.

    Raises:
        AgreementError: labels that are not as many as gains.
        ScalingError: gains that are not positive and finite, labels that are not finite, codes that
            are not whole numbers from 0, arrays of different length.

    Gain 9 is labelled 0, as 1 and 2 are; those of level 1 have 8 and 10:

    >>> result = misplaced([1, 9, 2, 8, 10], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0])
    >>> result.fits, result.strength.round(2)
    (array([nan,  1., nan,  0., nan]), array([  nan,  3.42,   nan, -1.87,   nan]))
    """
    numbers = validate_values(gains, positive=ratios)
    logs, back = (np.log(numbers), np.exp) if ratios else (numbers, np.asarray)
    levels = validate_values(labels)
    codes = validate_codes(topics, len(logs), np.iinfo(np.int64).max, "topics")
    if levels.shape != logs.shape:
        raise AgreementError(f"{len(levels)} labels do not fit {len(logs)} gains")
    group, of_group = _groups(codes, levels)
    medians = aggregate(logs, group, len(of_group)).values
    own = _of_others(logs, group)
    fits, there, strength = (np.full(logs.shape, np.nan) for _ in range(3))
    ends = np.flatnonzero(np.diff(codes[of_group], append=-1)) + 1  # of each topic's levels
    placed = np.flatnonzero(~np.isnan(own))
    placed = placed[np.argsort(group[placed], kind="stable")]  # topic by topic
    parts = np.split(placed, np.searchsorted(group[placed], ends[:-1]))
    for start, end, rows in zip([0, *ends], ends, parts, strict=False):
        above = logs[rows] >= own[rows], levels[of_group[start:end]] > levels[rows, np.newaxis]
        below = logs[rows] <= own[rows], levels[of_group[start:end]] < levels[rows, np.newaxis]
        counts = (above[0][:, np.newaxis] & above[1]) | (below[0][:, np.newaxis] & below[1])
        away = np.abs(logs[rows, np.newaxis] - medians[start:end])
        nearest = np.where(counts, away, np.inf).argmin(axis=1)
        has_level = counts.any(axis=1)
        strays, fitting = rows[has_level], nearest[has_level]
        fits[strays] = levels[of_group[start + fitting]]
        there[strays] = back(medians[start + fitting])
        strength[strays] = (logs - own)[strays] ** 2 - away[has_level, fitting] ** 2
    return Misplaced(back(own), fits, there, strength)


def _groups(codes: Ints, levels: Floats) -> tuple[Ints, Ints]:
    """The group of each document, by topic, then level; and of each group, one document."""
    order = np.lexsort((levels, codes))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(codes[order]) != 0) | (np.diff(levels[order]) != 0)
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(new) - 1
    return group, order[new]


def _of_others(logs: Floats, group: Ints) -> Floats:
    """The median of the others of the group, for each document; NaN where there is none."""
    order = np.lexsort((logs, group))
    counts = np.bincount(group)
    starts, others = np.cumsum(counts) - counts, counts[group[order]] - 1
    first = starts[group[order]]
    place = np.arange(len(order)) - first
    # The middle of those who are left: places after one's own move up.
    lower, upper = (others - 1) // 2, others // 2
    lower, upper = lower + (lower >= place), upper + (upper >= place)
    has_others = others > 0
    result = np.full(len(order), np.nan)
    ordered = logs[order]
    lower, upper = (first + lower)[has_others], (first + upper)[has_others]
    result[order[has_others]] = (ordered[lower] + ordered[upper]) / 2
    return result
