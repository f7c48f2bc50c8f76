"""RR: one over the rank of the first relevant document.

    RR@k = 1 / (least i from 1 to k whose document is relevant), 0 if there is none

trec_eval's `recip_rank`; its mean over topics is MRR. Kantor and Voorhees, The TREC-5 confusion
track, Information Retrieval 2, 2000.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import depth, validate_gains
from magnitudes.measures.relevance import relevant


def reciprocal_rank(
    ranked: ArrayLike, judged: ArrayLike, k: int | None = None, rel: ArrayLike | None = None
) -> NDArray[np.float64]:
    """RR@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, k, rel: as all measures have them; see `magnitudes.measures`.

    Returns:
        An array of the leading axes.

    Raises:
        GainError: as all measures.

    >>> reciprocal_rank([[0, 0, 1, 2], [1, 0, 0, 2]], [2, 1], k=3)
    array([0.33333333, 1.        ])
    >>> float(reciprocal_rank([1, 0, 0, 2], [2, 1], rel=2))
    0.25
    """
    k = depth(k)
    listed, _, top = validate_gains(ranked, judged)
    hits = relevant(listed[..., :k], rel, top.shape)
    ranks = np.arange(1, hits.shape[-1] + 1)
    return np.asarray((hits / ranks).max(axis=-1, initial=0.0))
