"""nG: the gain of the first k documents, as a share of the most that k documents can have.

    nG@k = sum over ranks i = 1..k of G_i / the same sum of the ideal ranking

The ideal ranking has all judged documents of the topic, retrieved or not, best first. No rank is
discounted. nG@1, the gain of the first document over the largest there is, is the one in use, for
searchers who want a single good document: it is what nDCG@1 is in any of its linear forms. Shang
and others, Overview of the NTCIR-12 short text conversation task, 2016; Sakai, Unanimity-aware
gain for highly subjective assessments, EVIA 2017, section 4.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import rank, ratio, total, validate_gains


def gain_at(ranked: ArrayLike, judged: ArrayLike, k: int = 1) -> NDArray[np.float64]:
    """nG@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged: as all measures have them; see `magnitudes.measures`.
        k: the cutoff.

    Returns:
        An array of the leading axes; 0 where no judged document of the topic has a gain. A
        constant factor on the gains of a topic changes nothing.

    Raises:
        GainError: as all measures.

    The best document has gain 4, the first one 3; the first two have 3 + 0 of 4 + 3:

    >>> float(gain_at([3, 0, 4], [4, 3, 1]))
    0.75
    >>> round(float(gain_at([3, 0, 4], [4, 3, 1], k=2)), 4)
    0.4286
    """
    k = rank(k)
    listed, known, _ = validate_gains(ranked, judged)
    best = np.flip(np.sort(known, axis=-1), axis=-1)
    return ratio(total(listed[..., :k]), total(best[..., :k]))
