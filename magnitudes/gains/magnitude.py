"""The gain `magnitude`: what people said a document is worth is what it is worth.

Magnitudes are a ratio scale: a document with twice the score is twice as relevant. So they need no
mapping onto gains, unlike levels, whose gains somebody must choose. Maddalena, Mizzaro, Scholer
and Turpin (ACM TOIS 35(3), 2017), section 7.1.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import BadLabel


def magnitude(aggregated: ArrayLike) -> NDArray[np.float64]:
    """The gain of documents judged by magnitude estimation: G = the aggregated score.

    Parameters:
        aggregated: any shape, one normalised and aggregated score per topic and document; NaN for
            one that was never judged.

    Returns:
        The gains, of the same shape and in the same units. NaN stays NaN: what an unjudged
        document is worth is for the measure's user to say, and 0 unless said otherwise. No gain
        of a judged document is 0, since nobody can give a magnitude of 0.

    Raises:
        BadLabel: a score that is infinite, zero or negative.

    >>> magnitude([12.5, float("nan"), 0.1])
    array([12.5,  nan,  0.1])
    """
    gains = np.array(aggregated, dtype=np.float64)
    bad = np.flatnonzero(np.isinf(gains) | (gains <= 0))
    if bad.size:
        raise BadLabel(
            f"magnitude {gains.flat[bad[0]]} is not a positive finite number", int(bad[0])
        )
    return gains
