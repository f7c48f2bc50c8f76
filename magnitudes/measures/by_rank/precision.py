"""P: precision, the share of relevant documents among the first k.

    P@k = relevant documents at ranks 1..k / k

As trec_eval has it, k divides also where a list is shorter: what is not there is not relevant.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import rank, validate_gains
from magnitudes.measures.relevance import relevant


def precision(
    ranked: ArrayLike, judged: ArrayLike, k: int = 10, rel: ArrayLike | None = None
) -> NDArray[np.float64]:
    """P@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, rel: as all measures have them; see `magnitudes.measures`.
        k: the cutoff.

    Returns:
        An array of the leading axes.

    Raises:
        GainError: as all measures.

    >>> float(precision([3, 0, 1, 2], [3, 2, 1], k=5))
    0.6
    >>> float(precision([3, 0, 1, 2], [3, 2, 1], k=5, rel=2))
    0.4
    """
    k = rank(k)
    listed, _, top = validate_gains(ranked, judged)
    return np.asarray(relevant(listed[..., :k], rel, top.shape).sum(axis=-1) / k)
