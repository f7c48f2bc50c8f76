"""Rprec: precision at R, the number of relevant documents of the topic.

    Rprec = relevant documents at ranks 1..R / R

At rank R precision and recall are the same. A ranking that begins with all relevant documents
scores 1, however many there are. R divides also where a list is shorter. This is `Rprec` of
trec_eval. Buckley and Voorhees, Retrieval system evaluation, in TREC: Experiment and Evaluation in
Information Retrieval, 2005.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import ratio, validate_gains
from magnitudes.measures.relevance import relevant


def r_precision(
    ranked: ArrayLike, judged: ArrayLike, rel: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Rprec of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, rel: as all measures have them; see `magnitudes.measures`.

    Returns:
        An array of the leading axes; 0 where no judged document of the topic is relevant.

    Raises:
        GainError: as all measures.

    Three documents of the topic are relevant, and two of them are among the first three:

    >>> round(float(r_precision([3, 0, 1, 2], [3, 2, 1])), 4)
    0.6667

    From a gain of 2 on two are relevant, and one of them is among the first two:

    >>> float(r_precision([3, 0, 1, 2], [3, 2, 1], rel=2))
    0.5
    """
    listed, known, top = validate_gains(ranked, judged)
    there_are = relevant(known, rel, top.shape).sum(axis=-1)
    counted = np.arange(listed.shape[-1]) < there_are[..., np.newaxis]
    hits = relevant(listed, rel, top.shape) & counted
    return ratio(hits.sum(axis=-1), there_are)
