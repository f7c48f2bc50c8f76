"""nDCG: discounted cumulative gain, as a share of the best possible.

    DCG@k = sum over ranks i = 1..k of  g(G_i) · d(i)
    nDCG@k = DCG@k of the ranking / DCG@k of the ideal ranking

The ideal ranking has all judged documents of the topic, retrieved or not, best first. Järvelin and
Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002. The forms of
DCG in use differ in the gain g and the discount d:

| `dcg`      | g(G)    | d(i)                   | whose                                         |
|------------|---------|------------------------|-----------------------------------------------|
| `log2`     | G       | 1 / log2(i + 1)        | trec_eval, ir_measures                        |
| `jk`       | G       | 1, 1, then 1 / log2(i) | Järvelin and Kekäläinen; Maddalena and others |
| `exp-log2` | 2^G - 1 | 1 / log2(i + 1)        | Burges and others (ICML 2005); gdeval         |
| `zipf`     | G       | 1 / i                  | compared by Kanoulas and Aslam (CIKM 2009)    |
| `exp-zipf` | 2^G - 1 | 1 / i                  | Demeester and others (WSDM 2014)              |

Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 7.1, print the form `jk`:
DCG@N = G_1 + sum over i = 2..N of G_i / log2(i). The second rank is not discounted in it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.gains.levels import scaled_exponential
from magnitudes.measures import depth, ratio, total, validate_gains


class Form(NamedTuple):
    """A form of DCG: whether its gain is 2^G - 1, and its discount at ranks counted from 1."""

    exponential: bool
    discount: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _next_log2(rank: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / np.log2(rank + 1)


def _log2_from_2(rank: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / np.log2(np.maximum(rank, 2))


FORMS = {
    "log2": Form(False, _next_log2),
    "jk": Form(False, _log2_from_2),
    "exp-log2": Form(True, _next_log2),
    "zipf": Form(False, np.reciprocal),
    "exp-zipf": Form(True, np.reciprocal),
}


def ndcg(
    ranked: ArrayLike, judged: ArrayLike, k: int | None = 10, dcg: str = "log2"
) -> NDArray[np.float64]:
    """nDCG@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged: as all measures have them; see `magnitudes.measures`.
        k: the cutoff. Rankings shorter than k are scored as they are, against the ideal at k.
            None takes the whole ranking, against the ideal of all judged documents, as trec_eval's
            `ndcg` does.
        dcg: the form; see the table on top of this page.

    Returns:
        An array of the leading axes. 0 where the ideal is 0, that is where no judged document has
        a gain. Exactly 1 for a ranking that begins with the ideal one.

    What holds: with `log2`, `jk` and `zipf` a constant factor on all gains of a topic changes
    nothing, so magnitudes need no unit; with the `exp-` forms it does. Gains of thousands are no
    difficulty there: numerator and denominator are both computed divided by 2^(largest gain).

    Mean nDCG over topics is linear in gain / ideal: with w_ti = g(G_ti) / ideal_t,

        mean over t of nDCG_t = sum over i of d(i) · (mean over t of w_ti)

    so a caller that draws gains or topics again and again may divide by the ideals once, average,
    and take one product with `discounts`.

    Raises:
        GainError: as all measures; an unknown form.

    The document at rank 1 has gain 3, that at rank 2 none, that at rank 3 gain 2. With one more of
    gain 1 in the topic, DCG@3 = 3 + 2/2 = 4, the ideal 3 + 2/1.585 + 1/2 = 4.762:

    >>> round(float(ndcg([3, 0, 2], [3, 2, 1, 0], k=3)), 4)
    0.84

    In the form `jk` it is (3 + 2/1.585) / (3 + 2 + 1/1.585) = 4.262 / 5.631:

    >>> round(float(ndcg([3, 0, 2], [3, 2, 1, 0], k=3, dcg="jk")), 4)
    0.7569

    Two runs at once:

    >>> ndcg([[3, 2, 1], [0, 0, 0]], [1, 2, 3], k=3)
    array([1., 0.])
    """
    k = depth(k)
    form = _form(dcg)
    listed, known, largest = validate_gains(ranked, judged)
    best = np.flip(np.sort(known, axis=-1), axis=-1)
    value = _dcg(listed[..., :k], largest, form)
    ideal = _dcg(best[..., :k], largest, form)
    return ratio(value, ideal)


def discounts(ranks: int, dcg: str = "log2") -> NDArray[np.float64]:
    """The discounts d(1), ..., d(ranks) of a form; GainError for an unknown one.

    >>> discounts(4).round(3), discounts(4, "jk").round(3)
    (array([1.   , 0.631, 0.5  , 0.431]), array([1.   , 1.   , 0.631, 0.5  ]))
    """
    return _form(dcg).discount(np.arange(1, ranks + 1, dtype=np.float64))


def _form(dcg: str) -> Form:
    if dcg not in FORMS:
        raise GainError(f"unknown form of DCG {dcg!r}; there are {', '.join(FORMS)}")
    return FORMS[dcg]


def _dcg(
    gains: NDArray[np.float64], largest: NDArray[np.float64], form: Form
) -> NDArray[np.float64]:
    """DCG; of the exponential forms divided by 2^largest, as 2^G of thousands is no double."""
    worth = scaled_exponential(gains, largest[..., np.newaxis]) if form.exponential else gains
    ranks = np.arange(1, gains.shape[-1] + 1, dtype=np.float64)
    return total(worth * form.discount(ranks))
