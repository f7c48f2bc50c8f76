"""ERR: expected reciprocal rank, of a reader who stops where satisfied.

    ERR@k = sum over ranks i = 1..k of  R_i / i · product over j < i of (1 - R_j)

    R_i = (2^G_i - 1) / 2^Gmax

R_i is the chance that the document at rank i satisfies the reader, who then reads no further; 1/i
is what stopping at rank i is worth. Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal
rank for graded relevance, CIKM 2009; with magnitudes as gains in Maddalena, Mizzaro, Scholer and
Turpin (ACM TOIS 35(3), 2017), section 7.1.

Gmax is read as the largest gain among the judged documents of the topic. gdeval, and ir_measures
which calls it, take a fixed 4 instead: `largest=4`.

ERR is not indifferent to a constant factor on gains, and the factor of magnitudes is an accident
of the numbers that workers chose. Where the best document has 100, one of 93 has a chance of less
than 1 in 100: only documents near the best count. `unit` gives gains a unit that has a meaning.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains.levels import scaled_exponential
from magnitudes.measures import depth, no_larger, per_topic, total, validate_gains


def err(
    ranked: ArrayLike,
    judged: ArrayLike,
    k: int | None = 10,
    largest: ArrayLike | None = None,
    unit: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """ERR@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged: as all measures have them; see `magnitudes.measures`. Of `judged` only
            the largest matters.
        k: the cutoff; None takes the whole ranking. Rankings shorter than k are scored as they are.
        largest: Gmax, one number or one per topic; the largest judged gain of the topic if not
            given. With `unit`, it is in that unit.
        unit: a divisor of all gains, one number or one per topic, for instance the gain of the
            topic's N_k: gains then say how many times as relevant a document is as one that is
            not relevant.

    Returns:
        An array of the leading axes. 0 where no judged document of the topic has a gain.

    R is computed as 2^(G - Gmax) - 2^-Gmax, so that gains of thousands neither overflow nor
    vanish, and where G < 1 as expm1(G ln 2) · 2^-Gmax, against cancellation.

    Raises:
        GainError: as all measures; gains above Gmax; a unit that is not positive and finite.

    Gains 2, 0, 1 in a topic whose best is 2: R is 3/4, 0, 1/4, and ERR@3 is
    3/4 + 0 + 1/4 · 1/4 · 1/3 = 37/48:

    >>> round(float(err([2, 0, 1], [2, 1, 1, 0], k=3)), 4)
    0.7708

    Half the gains are not half the value, but in a unit of their own they are the same again:

    >>> round(float(err([1, 0, 0.5], [1, 0.5, 0.5, 0], k=3)), 4)
    0.5345
    >>> round(float(err([1, 0, 0.5], [1, 0.5, 0.5, 0], k=3, unit=0.5)), 4)
    0.7708
    """
    k = depth(k)
    listed, _, top = validate_gains(ranked, judged)
    listed = listed[..., :k]
    if unit is not None:
        divisor = per_topic(unit, "unit", top.shape)
        listed, top = listed / divisor[..., np.newaxis], top / divisor
    if largest is not None:
        most = per_topic(largest, "largest", top.shape)
        no_larger(top[..., np.newaxis], most, "given")
        top = most
    return expected_reciprocal_rank(scaled_exponential(listed, top[..., np.newaxis]))


def expected_reciprocal_rank(satisfied: NDArray[np.float64]) -> NDArray[np.float64]:
    """The formula on top of this page, given the chances R: shape (..., ranks), below 1.

    >>> float(expected_reciprocal_rank(np.array([0.5, 0.5])))
    0.625
    """
    reached = np.ones_like(satisfied)
    np.subtract(1, satisfied[..., :-1], out=reached[..., 1:])
    np.cumprod(reached, axis=-1, out=reached)
    reached *= satisfied
    reached /= np.arange(1, satisfied.shape[-1] + 1)
    return total(reached)
