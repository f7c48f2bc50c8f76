"""AP: the mean of the precisions at the ranks of relevant documents.

    AP@k = 1/R · sum over ranks i = 1..k of  rel_i · P@i

rel_i is 1 if the document at rank i is relevant, else 0; R is the number of relevant documents of
the topic, so that one that is not retrieved, or stands below the cutoff, adds 0. This is `map` of
trec_eval, and `map_cut` with a cutoff. Its mean over topics is MAP. Buckley and Voorhees, Retrieval
system evaluation, in TREC: Experiment and Evaluation in Information Retrieval, 2005.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import depth, ratio, total, validate_gains
from magnitudes.measures.relevance import relevant


def average_precision(
    ranked: ArrayLike, judged: ArrayLike, k: int | None = None, rel: ArrayLike | None = None
) -> NDArray[np.float64]:
    """AP@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, k, rel: as all measures have them; see `magnitudes.measures`.

    Returns:
        An array of the leading axes; 0 where no judged document of the topic is relevant. R counts
        judged documents: where unjudged ones are given a gain that is relevant, AP may exceed 1.

    Raises:
        GainError: as all measures.

    Relevant documents at ranks 1 and 3, one more in the topic: (1/1 + 2/3) / 3.

    >>> round(float(average_precision([2, 0, 1], [2, 1, 1, 0])), 4)
    0.5556
    """
    k = depth(k)
    listed, known, top = validate_gains(ranked, judged)
    hits = relevant(listed[..., :k], rel, top.shape)
    there_are = relevant(known, rel, top.shape).sum(axis=-1)
    terms = np.cumsum(hits, axis=-1) / np.arange(1, hits.shape[-1] + 1) * hits
    return ratio(total(terms), there_are)
