"""Levels of two aspects as one, such as those of a result's snippet and of its page.

Which is better, a probable snippet on a highly relevant page or a sure one on a relevant page? The
chance that another user finds the best of both, given the two levels from one user, orders all
combinations.

Source: Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder, Exploiting user disagreement for
web search evaluation: an experimental approach, WSDM 2014, section 7, Table 4.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement.opinions import MISSING, Ids, Opinions, validate_ids
from magnitudes.gains import GainError
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import level_weights

FEW_LABELS = 50


class Combined(NamedTuple):
    """Of each combination, all of shape (levels, second levels)."""

    p: NDArray[np.float64]  # chance of both top levels from another judge; NaN if never seen
    weights: NDArray[np.float64]  # P(M/N)
    observations: Ids  # how many labels of it have one of another judge beside them
    few: NDArray[np.bool_]  # marked: fewer than 50 observations


def combined(opinions: Opinions, second: ArrayLike, n_second: int) -> Opinions:
    """Opinions on the combined scale: level · n_second + second level, missing if either is.

    Parameters:
        opinions: with the levels of the first aspect.
        second: shape (n,), the second aspect's level of each opinion, -1 where missing.
        n_second: how many levels the second aspect has.

    The combined levels have no order but for the top, which is that of both.

    Raises:
        GainError: fewer than two levels of the second aspect.
        AgreementError: second levels that are not one whole number in range for each opinion.

    >>> both_aspects = combined(Opinions([0, 0], [1, 0], [0, 1], 2, [0]), [2, -1], 3)
    >>> both_aspects.levels, both_aspects.n_levels
    (array([ 5, -1]), 6)
    """
    if n_second < 2:
        raise GainError(f"n_second: a scale has at least 2 levels, not {n_second}")
    other = validate_ids(second, "second", len(opinions.items), MISSING, n_second - 1)
    missing = (opinions.levels == MISSING) | (other == MISSING)
    return Opinions(
        opinions.items,
        np.where(missing, MISSING, opinions.levels * n_second + other),
        opinions.judges,
        opinions.n_levels * n_second,
        opinions.topic_of_item,
    )


def combined_weights(
    opinions: Opinions,
    second: ArrayLike,
    n_second: int,
    m: int = 1,
    n: int = 3,
    few: int = FEW_LABELS,
    keep_lowest: bool = False,
) -> Combined:
    """Weights of all combinations of two aspects' levels: Table 4.

    Parameters:
        opinions, second, n_second: see `combined`; in the paper snippets first, pages second.
        m, n: see `level_weights`.
        few: combinations with fewer observations are marked.
        keep_lowest: whether the lowest level of the second aspect has the weights that are
            estimated; if not, 0, whatever the first aspect, as in the paper.

    Returns:
        See `Combined`.

    Raises:
        AgreementError: as `combined`.
        GainError: as `combined`, `disagreement` and `level_weights`.

    >>> pages = [1, 1, 1, 0, 0, 1]
    >>> labels = Opinions([0, 0, 1, 1, 2, 2], [1, 1, 1, 0, 0, 1], [0, 1, 0, 1, 0, 1], 2, [0, 0, 0])
    >>> combined_weights(labels, pages, 2).weights.round(2)
    array([[ 0., nan],
           [ 0.,  1.]])
    """
    estimated = disagreement(combined(opinions, second, n_second))
    shape = opinions.n_levels, n_second
    weights = level_weights(estimated.p, m, n, keep_lowest=True).reshape(shape)
    if not keep_lowest:
        weights[:, 0] = 0.0
    observations = estimated.observations.reshape(shape)
    return Combined(estimated.p.reshape(shape), weights, observations, observations < few)
