"""How far the scores of a unit agree with reference labels.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 6.1.2 and Figure 6.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.scaling import ScalingError

AT_ONCE = 2**20  # pairs; bounds the memory


class UnitAgreement(NamedTuple):
    """All of shape (units,)."""

    shares: NDArray[np.float64]  # of pairs in agreement, NaN without a pair
    pairs: NDArray[np.int64]  # of documents of different label
    unlabelled: NDArray[np.int64]  # documents without a label


def unit_agreement(scores: ArrayLike, labels: ArrayLike) -> UnitAgreement:
    """The share of a unit's document pairs that its scores do not put in the wrong order.

    A pair counts if both documents have a label and the labels differ. It is in agreement if the
    document of the lower label has the lower score or an equal one.

    Parameters:
        scores: shape (units, unit_size), any finite numbers: raw scores, or normalised ones, which
            have the same order within a unit.
        labels: shape (units, unit_size), levels as numbers, the higher the more relevant; NaN where
            a document has none.

    Returns:
        See `UnitAgreement`. A unit without a pair has the share NaN and 0 pairs.

    Raises:
        ScalingError: arrays that are no tables of one shape, scores that are not finite, an
            infinite label.

    >>> nan = float("nan")
    >>> unit_agreement([[1, 5, 5, 2], [1, 2, 3, 4]], [[0, 1, 2, 1], [nan, 1, 1, nan]])
    UnitAgreement(shares=array([ 1., nan]), pairs=array([5, 0]), unlabelled=array([0, 2]))
    """
    given, levels = _checked(scores, labels)
    units, size = given.shape
    one, other = np.triu_indices(size, 1)
    right, pairs = np.zeros((2, units), dtype=np.int64)
    step = max(AT_ONCE // max(len(one), 1), 1)
    for at in range(0, units, step):
        part = slice(at, at + step)
        s, c = given[part], levels[part]
        # The sign by which labels differ: 0 if equal, NaN (no pair either) if one is missing.
        order = np.sign(c[:, one] - c[:, other])
        differ = np.abs(order) > 0
        wrong = differ & (order * np.sign(s[:, one] - s[:, other]) < 0)
        pairs[part] = differ.sum(axis=1)
        right[part] = pairs[part] - wrong.sum(axis=1)
    shares = np.full(units, np.nan)
    np.divide(right, pairs, out=shares, where=pairs > 0)
    return UnitAgreement(shares, pairs, np.isnan(levels).sum(axis=1))


def _checked(
    scores: ArrayLike, labels: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    given = np.asarray(scores, dtype=np.float64)
    levels = np.asarray(labels, dtype=np.float64)
    if given.ndim != 2 or given.shape != levels.shape:
        raise ScalingError(
            "scores and labels must both have the shape (units, unit size), "
            f"not {given.shape}, {levels.shape}"
        )
    if not np.isfinite(given).all():
        raise ScalingError("scores must be finite numbers")
    if np.isinf(levels).any():
        raise ScalingError("labels must be finite numbers, or NaN where there is none")
    return given, levels
