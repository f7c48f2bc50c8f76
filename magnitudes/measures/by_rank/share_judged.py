"""Judged: the share of judged documents among the first k.

    Judged@k = judged documents at ranks 1..k / documents at ranks 1..k

A document is judged if it has a label or a gain, also one of 0 or below. The length of the list
divides where that is less than k, as ir_measures has it, whose `Judged` this is. It says nothing of
how good a ranking is, but how far another measure with the same cutoff rests on judgments; it
stands beside every value. MacAvaney, Macdonald and Ounis, Streamlining evaluation with ir-measures,
ECIR 2022.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.files.codes import END
from magnitudes.gains import GainError
from magnitudes.measures import depth, validate_gains


def share_judged(
    ranked: ArrayLike, judged: ArrayLike, k: int | None = None, *, places: ArrayLike
) -> NDArray[np.float64]:
    """Judged@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, k: as all measures have them; see `magnitudes.measures`. Only checked:
            `places` tells which documents are judged.
        places: shape (..., depth), whole numbers: the index in `judged` of the document at each
            rank, -1 where it is unjudged, -2 below the end of a list.

    Returns:
        An array of the leading axes; 0 for an empty list.

    Raises:
        GainError: as all measures; places that are no whole numbers.

    The second of three documents is not judged, the third has a gain of 0:

    >>> round(float(share_judged([2, 0, 0], [2, 0], places=[0, -1, 1])), 4)
    0.6667
    >>> float(share_judged([2, 0, 0], [2, 0], k=2, places=[0, -1, 1]))
    0.5

    The list ends after the first:

    >>> float(share_judged([2, 0, 0], [2, 0], k=2, places=[0, -2, -2]))
    1.0
    """
    k = depth(k)
    validate_gains(ranked, judged)
    at = np.asarray(places)
    if at.ndim == 0 or (at.size and at.dtype.kind != "i"):
        raise GainError("places must be whole numbers, with an axis of ranks")
    return np.nan_to_num(share_of_places(at[..., :k]))[()]


def share_of_places(places: NDArray[np.integer]) -> NDArray[np.float64]:
    """The share of judged documents in lists, NaN where one is empty; `places` as above."""
    each_rank = np.ones(places.shape[-1])
    lengths, n_judged = (places != END) @ each_rank, (places >= 0) @ each_rank
    share = np.full(lengths.shape, np.nan)
    result: NDArray[np.float64] = np.divide(n_judged, lengths, out=share, where=lengths > 0)
    return result
