"""Success: whether any relevant document is among the first k.

    Success@k = 1 if a document at ranks 1..k is relevant, else 0

Its mean over topics is the share of topics on which a searcher who looks at k documents finds
something. This is `success` of trec_eval, S@k of the web tracks of TREC, and the hit rate of other
tools; some articles call it Recall@k. Craswell and Hawking, Overview of the TREC 2004 web track.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import rank, validate_gains
from magnitudes.measures.relevance import relevant


def success(
    ranked: ArrayLike, judged: ArrayLike, k: int = 10, rel: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Success@k of one or many rankings, 0 or 1; the formula is on top of this page.

    Parameters:
        ranked, judged, rel: as all measures have them; see `magnitudes.measures`.
        k: the cutoff.

    Returns:
        An array of the leading axes.

    Raises:
        GainError: as all measures.

    The first relevant document of one ranking is at rank 3, that of the other at rank 1:

    >>> success([[0, 0, 1], [2, 0, 0]], [2, 1], k=2)
    array([0., 1.])
    >>> success([[0, 0, 1], [2, 0, 0]], [2, 1], k=3)
    array([1., 1.])
    """
    k = rank(k)
    listed, _, top = validate_gains(ranked, judged)
    return np.asarray(relevant(listed[..., :k], rel, top.shape).any(axis=-1), dtype=np.float64)
