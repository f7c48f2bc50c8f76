"""bpref_de_beer_moens: how few judged documents that are not relevant stand above relevant ones.

    bpref = 1/R · sum over relevant k of  (1 - (judged documents, not relevant, above k) / N)

R is the number of judged documents of the topic that are relevant, N of those that are not. De Beer
and Moens, Rpref: a generalization of bpref towards graded relevance judgments, SIGIR 2006, equation
(2): rpref of worth 0 and 1, with the same conventions and the same options.

`Bpref`, which is trec_eval's and that of Buckley and Voorhees (SIGIR 2004), is another measure. It
divides by the smaller of R and N, counts the first R documents that are not relevant at most, and
gives relevant documents that are not retrieved nothing. Here N divides, all judged documents in the
list are above one that is not retrieved, and an empty list scores 1. Where all relevant documents
are retrieved and N is at most R, both are the same.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import depth, validate_gains
from magnitudes.measures.by_pairs.preference import preference
from magnitudes.measures.relevance import relevant


def bpref_de_beer_moens(
    ranked: ArrayLike,
    judged: ArrayLike,
    k: int | None = None,
    *,
    places: ArrayLike,
    n_judged: ArrayLike | None = None,
    rel: ArrayLike | None = None,
    norm: str = "absolute",
    omit_top: int = 0,
) -> NDArray[np.float64]:
    """Their bpref of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, k, places, n_judged, norm, omit_top: as `rpref` has them.
        rel: the least gain of a relevant document, one number or one per topic; any above 0 if
            not given.

    Returns:
        An array of the leading axes; 0 where no judged document of the topic is relevant.

    Raises:
        GainError: as `rpref`; a `rel` that is not positive and finite.

    Two relevant documents, and two judged that are not: one of these above the second of those.

    >>> float(bpref_de_beer_moens([1, 0, 2, 0], [2, 1, 0, 0], places=[1, 2, 0, 3]))
    0.75

    The document at rank 2 is not judged, and does not count:

    >>> float(bpref_de_beer_moens([1, 0, 2, 0], [2, 1, 0, 0], places=[1, -1, 0, 3]))
    1.0
    """
    k = depth(k)
    _, known, top = validate_gains(ranked, judged)
    worth = relevant(known, rel, top.shape).astype(np.float64)
    return preference(worth, np.asarray(places)[..., :k], n_judged, norm, omit_top)
