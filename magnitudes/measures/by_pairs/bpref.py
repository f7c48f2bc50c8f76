"""Bpref: how few judged documents that are not relevant stand above relevant ones, as in trec_eval.

    Bpref = 1/R · sum over relevant documents k in the list of
            (1 - min(judged documents, not relevant, above k; R) / min(N; R))

R is the number of judged documents of the topic that are relevant, N of those that are not. Only
judged documents count, and only their order: unjudged ones are as if they were not in the list,
whatever `unjudged` gives them. A relevant document that is not in the list adds 0. Buckley and
Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004, in the form of trec_eval,
whose `bpref` this is: the article divides by R, trec_eval by N where that is smaller, so that the
worst order scores 0 in either case.

A label below 0 means to trec_eval that nobody judged the document: it does not count here. To all
other measures it is a judged document of gain 0.

The measure of the same name by De Beer and Moens is `bpref_de_beer_moens`.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.measures import ratio, total, validate_gains
from magnitudes.measures.by_pairs.preference import refuse_repeats, validate_places
from magnitudes.measures.relevance import relevant


def bpref(
    ranked: ArrayLike,
    judged: ArrayLike,
    *,
    places: ArrayLike,
    n_judged: ArrayLike | None = None,
    negative: ArrayLike | None = None,
    rel: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Bpref of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, rel: as all measures have them; see `magnitudes.measures`. `ranked` is only
            checked: `places` tells which documents they are.
        places: shape (..., depth), whole numbers: the index in `judged` of the document at each
            rank, negative where it is unjudged and where padded.
        n_judged: how many documents of each topic are judged, one number or one per topic; n if
            not given. What `judged` is padded with would otherwise count in N.
        negative: the shape of `judged`, which documents have a label below 0; none if not given.

    Returns:
        An array of the leading axes; 0 where no judged document of the topic is relevant.

    Raises:
        GainError: as all measures; places or numbers of judged documents that cannot be; a
            document ranked twice.

    R = 2 and N = 2, one document that is not relevant above the second relevant one: that adds
    1 - 1/2, the first adds 1.

    >>> float(bpref([1, 0, 2, 0], [2, 1, 0, 0], places=[1, 2, 0, 3]))
    0.75

    The document at rank 2 is not judged, and does not count:

    >>> float(bpref([1, 0, 2, 0], [2, 1, 0, 0], places=[1, -1, 0, 3]))
    1.0
    """
    _, known, top = validate_gains(ranked, judged)
    counted = np.ones(known.shape, bool) if negative is None else ~np.asarray(negative, bool)
    worth = relevant(known, rel, top.shape) & counted
    ranks, n = validate_places(worth, places, n_judged)
    refuse_repeats(ranks, known.shape[-1])
    kinds = _at(counted.astype(np.int8) + worth, ranks)  # 2: relevant, 1: not, 0: does not count
    there_are = worth.sum(axis=-1)
    others = n - (~counted).sum(axis=-1) - there_are
    most = there_are[..., np.newaxis]
    above = np.minimum(np.cumsum(kinds == 1, axis=-1), most)
    credit = 1 - ratio(above, np.minimum(most, others[..., np.newaxis]))
    return ratio(total(np.where(kinds == 2, credit, 0.0)), there_are)


def _at(kinds: NDArray[np.int8], places: NDArray[np.integer]) -> NDArray[np.int8]:
    """The kinds of the documents at each rank, 0 for one that is not judged."""
    lead = np.broadcast_shapes(kinds.shape[:-1], places.shape[:-1])
    padded = np.concatenate([kinds, np.zeros((*kinds.shape[:-1], 1), np.int8)], axis=-1)
    whole = np.broadcast_to(padded, (*lead, padded.shape[-1]))
    each = np.broadcast_to(np.maximum(places, -1), (*lead, places.shape[-1]))
    return np.take_along_axis(whole, each, axis=-1)
