"""RBP: rank-biased precision, of a reader who goes on to the next document with chance p.

    RBP = (1 - p) · sum over ranks i = 1.. of  r_i p^(i-1)

Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1),
2008. Their r_i lies from 0 to 1 and may be a fraction. Here it is the gain as a share of the
largest among the topic's judged documents, so that a constant factor on gains changes nothing, and
labels of 0 and 1 give what the article does. With `rel` it is 1 for a relevant document and 0 for
any other.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import depth, shares, total, validate_gains
from magnitudes.measures.relevance import relevant


def rbp(
    ranked: ArrayLike,
    judged: ArrayLike,
    k: int | None = None,
    p: float = 0.8,
    rel: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """RBP@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, k: as all measures have them; see `magnitudes.measures`. Of `judged` only
            the largest matters.
        p: persistence, from 0 (looks at the first document only) to below 1.
        rel: the least gain of a relevant document, one number or one per topic; if not given,
            gains count in proportion.

    Returns:
        An array of the leading axes; 0 where no judged document of the topic has a gain. A perfect
        ranking scores 1 only if it never ends.

    Raises:
        GainError: as all measures; a p out of range.

    Half-way persistence, best document first, one of half the gain third: 1/2 (1 + 1/2 · 1/4):

    >>> float(rbp([4, 0, 2], [4, 2], p=0.5))
    0.5625
    >>> float(rbp([4, 0, 2], [4, 2], p=0.5, rel=2))
    0.625
    """
    k = depth(k)
    if not 0 <= p < 1:
        raise GainError(f"p {p!r} does not lie from 0 to below 1")
    listed, _, top = validate_gains(ranked, judged)
    listed = listed[..., :k]
    worth = shares(listed, top) if rel is None else relevant(listed, rel, top.shape)
    return np.asarray((1 - p) * total(worth * np.float64(p) ** np.arange(listed.shape[-1])))
