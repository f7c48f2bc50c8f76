"""The gains of a ranking's documents: what an unjudged one is worth, and in which order they come.

An unjudged document has gain 0 unless `unjudged` names a number of each topic: `min`, the smallest
gain among its judged documents, or `n_k`, that of its N_k. With magnitudes, where no judged one has
gain 0, an unjudged document is otherwise worth less than any that was judged. The ideal ranking has
judged documents alone, so that with few of them a ranking may then score above 1.

The order is that of the scores (`files.runs`) or, with `order='rank'`, that of the rank field as it
is written, smallest first; equal ranks, which some runs have, in the order of the scores.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

UNJUDGED = ("min", "n_k")


def fill(
    gains: NDArray[np.float64], listed: NDArray[np.bool_], unjudged: ArrayLike
) -> NDArray[np.float64]:
    """The gains in rank order that measures take.

    Parameters:
        gains: shape (..., depth), gains in rank order, NaN where a document is unjudged.
        listed: of the same shape, whether there is a document at the rank at all.
        unjudged: the gain of an unjudged document, one number or one per topic.

    Returns:
        The gains, with `unjudged` for NaN, and 0 below the end of a list.

    >>> fill(np.array([5, np.nan, np.nan]), np.array([True, True, False]), 0.5)
    array([5. , 0.5, 0. ])
    """
    worth = np.where(listed, np.asarray(unjudged, dtype=np.float64)[..., np.newaxis], 0.0)
    return np.where(np.isnan(gains), worth, gains)
