"""R: recall, the share of the topic's relevant documents that are among the first k.

    R@k = relevant documents at ranks 1..k / R

The R that divides is the number of relevant documents of the topic, retrieved or not. This is
`recall` of trec_eval. Some articles give the name Recall@k to what is Success@k here: whether any
relevant document is among the first k. Buckley and Voorhees, Retrieval system evaluation, in TREC:
Experiment and Evaluation in Information Retrieval, 2005.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import rank, ratio, validate_gains
from magnitudes.measures.relevance import relevant


def recall(
    ranked: ArrayLike, judged: ArrayLike, k: int = 10, rel: ArrayLike | None = None
) -> NDArray[np.float64]:
    """R@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, rel: as all measures have them; see `magnitudes.measures`.
        k: the cutoff.

    Returns:
        An array of the leading axes; 0 where no judged document of the topic is relevant. R counts
        judged documents: where unjudged ones are given a gain that is relevant, R@k may exceed 1.

    Raises:
        GainError: as all measures.

    Four documents of the topic are relevant, and two of them are among the first three:

    >>> float(recall([3, 0, 1, 2], [3, 2, 1, 1], k=3))
    0.5

    From a gain of 2 on two are relevant, and one of them is among the first three:

    >>> float(recall([3, 0, 1, 2], [3, 2, 1, 1], k=3, rel=2))
    0.5
    """
    k = rank(k)
    listed, known, top = validate_gains(ranked, judged)
    hits = relevant(listed[..., :k], rel, top.shape).sum(axis=-1)
    return ratio(hits, relevant(known, rel, top.shape).sum(axis=-1))
