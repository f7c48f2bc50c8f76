"""P: precision, the share of relevant documents among the first k.

    P@k = relevant documents at ranks 1..k / k

As trec_eval has it, k divides also where a list is shorter: what is not there is not relevant.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.measures import checked, rank
from evaluation.measures.relevance import relevant


def precision(
    ranked: ArrayLike, judged: ArrayLike, k: int = 10, rel: ArrayLike | None = None
) -> NDArray[np.float64]:
    """P@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked: shape (..., depth), gains in rank order, 0 where unjudged and where padded.
        judged: shape (..., n), gains of all judged documents of the topic, padded with 0; leading
            axes of the two broadcast.
        k: the cutoff.
        rel: the least gain of a relevant document, one number or one per topic; any above 0 if
            not given.

    Returns:
        An array of the leading axes.

    Raises:
        GainError: gains that are NaN, infinite or negative, or above all judged; shapes that do
            not fit; a cutoff below 1; a `rel` that is not positive and finite.

    >>> float(precision([3, 0, 1, 2], [3, 2, 1], k=5))
    0.6
    >>> float(precision([3, 0, 1, 2], [3, 2, 1], k=5, rel=2))
    0.4
    """
    k = rank(k)
    listed, _, top = checked(ranked, judged)
    return np.asarray(relevant(listed[..., :k], rel, top.shape).sum(axis=-1) / k)
