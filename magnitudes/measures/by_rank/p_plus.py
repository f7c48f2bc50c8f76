"""P+: the mean blended ratio at the relevant documents down to the first of the best in the list.

    BR(r) = (C(r) + b cg(r)) / (r + b cg*(r))
    P+@k = mean of BR(r) over the ranks r <= r_p of relevant documents

C(r) counts the relevant documents of the first r ranks, cg(r) adds up their gains, and cg*(r) those
of the ideal ranking, which has all judged documents of the topic, best first. r_p, the preferred
rank, is where the list has its highest gain for the first time: a reader who looks for one good
document goes no further. With b = 0, BR is precision. The list is cut at k first, so that r_p is
at most k. Sakai, On the properties of evaluation metrics for finding one highly relevant document,
IPSJ Transactions on Databases 48 (TOD35), 2007; Unanimity-aware gain for highly subjective
assessments, EVIA 2017, section 4.

Counts stand beside gains, so that a constant factor on gains changes the value, just as that factor
on b does. Gains count in cg and cg* whether or not a document is relevant: where a threshold
(`rel`) says what is, others still have their gain.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import depth, ratio, total, validate_gains
from magnitudes.measures.relevance import relevant


def p_plus(
    ranked: ArrayLike,
    judged: ArrayLike,
    k: int | None = None,
    b: float = 1.0,
    rel: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """P+@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, k, rel: as all measures have them; see `magnitudes.measures`.
        b: the weight of gains beside counts, from 0.

    Returns:
        An array of the leading axes; 0 where no document of the list is relevant. Exactly 1 where
        the first document is relevant and has the largest gain of the topic.

    Raises:
        GainError: as all measures; a b below 0.

    Gains 1, 0, 3, 1 where the best are 3, 1, 1: the preferred rank is 3. BR is
    (1 + 1) / (1 + 3) at rank 1 and (2 + 4) / (3 + 5) at rank 3:

    >>> float(p_plus([1, 0, 3, 1], [3, 1, 1, 0]))
    0.625
    """
    k = depth(k)
    listed, known, top = validate_gains(ranked, judged)
    listed = listed[..., :k]
    size = listed.shape[-1]
    if not 0 <= b < np.inf:
        raise GainError(f"b {b!r} is not a finite number from 0")
    hits = relevant(listed, rel, top.shape)
    best = np.zeros((*known.shape[:-1], size))
    best[..., : known.shape[-1]] = np.flip(np.sort(known, axis=-1), axis=-1)[..., :size]
    ranks = np.arange(1, size + 1)
    blended = np.cumsum(hits, axis=-1) + b * np.cumsum(listed, axis=-1)
    blended /= ranks + b * np.cumsum(best, axis=-1)
    below = np.arange(size) > _preferred(listed)[..., np.newaxis]
    hits &= ~below
    blended *= hits
    return ratio(total(blended), hits.sum(axis=-1))


def _preferred(listed: NDArray[np.float64]) -> NDArray[np.int64]:
    """Where each list has its highest gain for the first time, counted from 0."""
    if not listed.shape[-1]:
        return np.zeros(listed.shape[:-1], dtype=np.int64)
    result: NDArray[np.int64] = listed.argmax(axis=-1)
    return result
