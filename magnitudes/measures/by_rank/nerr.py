"""nERR: expected reciprocal rank, as a share of the best possible.

    ERR@k = sum over ranks i = 1..k of  R_i / i · product over j < i of (1 - R_j)
    nERR@k = ERR@k of the ranking / ERR@k of the ideal ranking

    R_i = G_i / (Gmax + 1)

The reader of ERR, but the chance that a document satisfies is linear in its gain, as NTCIREVAL has
it. The ideal ranking has all judged documents of the topic, retrieved or not, best first. Chapelle,
Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009; Sakai and
Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011; one of
the measures of Sakai, Unanimity-aware gain for highly subjective assessments, EVIA 2017, section 4.

Gmax is read as the largest gain among the judged documents of the topic. NTCIREVAL takes that of
the highest level, which no document of the topic need have: `largest`. The 1 beside it gives gains
a unit: a constant factor on them changes the value, the more the smaller they are.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import depth, no_larger, per_topic, ratio, validate_gains
from magnitudes.measures.by_rank.err import expected_reciprocal_rank


def nerr(
    ranked: ArrayLike, judged: ArrayLike, k: int | None = 10, largest: ArrayLike | None = None
) -> NDArray[np.float64]:
    """nERR@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged: as all measures have them; see `magnitudes.measures`.
        k: the cutoff of ranking and ideal; None takes the whole of both.
        largest: Gmax, one number or one per topic; the largest judged gain of the topic if not
            given.

    Returns:
        An array of the leading axes; 0 where no judged document of the topic has a gain. Exactly 1
        for a ranking that begins with the ideal one.

    Raises:
        GainError: as all measures; gains above Gmax.

    Gains 1, 0, 2 in a topic whose best are 2 and 1: R is 1/3, 0, 2/3 and ERR
    1/3 + 2/3 · 2/3 / 3 = 13/27; the ideal has 2/3 + 1/3 · 1/3 / 2 = 13/18:

    >>> round(float(nerr([1, 0, 2], [2, 1, 0])), 4)
    0.6667
    """
    k = depth(k)
    listed, known, top = validate_gains(ranked, judged)
    if largest is not None:
        most = per_topic(largest, "largest", top.shape)
        no_larger(top[..., np.newaxis], most, "given")
        top = most
    best = np.flip(np.sort(known, axis=-1), axis=-1)
    whole = (top + 1)[..., np.newaxis]
    value, ideal = (expected_reciprocal_rank(gains[..., :k] / whole) for gains in (listed, best))
    return ratio(value, ideal)
