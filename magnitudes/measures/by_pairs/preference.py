"""Preference measures: how far the order of judged documents is from that of their worth.

What `rpref` and `bpref_de_beer_moens` have in common is here.

De Beer and Moens, Rpref: a generalization of bpref towards graded relevance judgments, SIGIR 2006,
equation (1). The worth rho of a document there divides the sum that it multiplies, so that

    rpref = 1 - 1/R · sum over judged k of  1/N_k · sum over judged l above k, rho_l < rho_k,
                                                    of (rho_k - rho_l)

with N_k = N (absolute), or the number of judged documents above k (relative; section 2.4).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import ratio, total
from magnitudes.measures.by_pairs.misplacement import CHUNK_SIZE, as_rows, misplaced, together

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]
NORMS = ("absolute", "relative")


class _Topics(NamedTuple):
    """Judged documents that are worth anything, best first; topics in one row after the other."""

    worth: Floats  # (topics, m), padded with 0
    whole: Floats  # (topics,), its sum
    less: Integers  # (topics, m), where the documents begin that are worth less
    slots: Integers  # (topics, n), where each judged document is in `worth`
    counts: Integers  # (topics,), how many there are
    judged: Integers  # (topics,), how many documents are judged


def preference(
    worth: Floats,
    places: ArrayLike,
    n_judged: ArrayLike | None,
    norm: str = "absolute",
    omit_top: int = 0,
) -> Floats:
    """The formula on top of this page for one or many rankings.

    Parameters:
        worth: shape (..., n), rho of the judged documents, from 0 to 1, padded with 0.
        places: shape (..., depth), whole numbers: the index in `worth` of the document at each
            rank, negative where it is unjudged and where padded. Leading axes broadcast.
        n_judged: how many documents of each topic are judged, one number or one per topic; n if
            None.
        norm: one of NORMS. omit_top: 1 to leave out the first judged document of each ranking.

    Returns:
        An array of the leading axes. A topic without worth: 0.

    Raises:
        GainError: an unknown norm; places or numbers of judged documents that cannot be; a
            document that is ranked twice.
    """
    if norm not in NORMS or omit_top not in (0, 1):
        raise GainError(f"norm {norm!r} and omit_top {omit_top!r} must be of {NORMS} and of 0, 1")
    ranked, judged = validate_places(worth, places, n_judged)
    lead = np.broadcast_shapes(ranked.shape[:-1], worth.shape[:-1])
    topics = _topics(worth, judged)
    rows = as_rows(np.broadcast_to(ranked, (*lead, ranked.shape[-1])))
    topic_of = np.broadcast_to(np.arange(len(topics.worth)).reshape(worth.shape[:-1]), lead).ravel()
    result = np.empty(len(rows))
    step = max(1, CHUNK_SIZE // max(topics.slots.shape[1], rows.shape[1], 1))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        result[part] = _values(rows[part], topic_of[part], topics, norm, omit_top)
    return result.reshape(lead)[()]


def validate_places(
    worth: NDArray[Any], places: ArrayLike, n_judged: ArrayLike | None
) -> tuple[Integers, Integers]:
    """Places, and the number of judged documents of each topic; see `preference`.

    Raises:
        GainError: places that are no whole numbers below n, or shapes that do not fit; fewer judged
            documents than have any worth, or more than n.
    """
    ranked, n = np.asarray(places), worth.shape[-1]
    if not ranked.size:
        ranked = ranked.astype(np.int64)
    if ranked.ndim == 0 or ranked.dtype.kind != "i" or ranked.max(initial=-1) >= n:
        raise GainError(f"places must be whole numbers below {n}, with an axis of ranks")
    judged = np.asarray(n if n_judged is None else n_judged)
    try:
        np.broadcast_shapes(ranked.shape[:-1], worth.shape[:-1])
        judged = np.broadcast_to(judged, worth.shape[:-1])
    except ValueError:
        raise GainError(
            f"places {ranked.shape}, n_judged {judged.shape} and judged {worth.shape} do not fit"
        ) from None
    if (judged > n).any() or (judged < (worth > 0).sum(axis=-1)).any():
        raise GainError(f"n_judged must lie from the number of documents with a gain to {n}")
    return ranked, judged


def _topics(worth: Floats, judged: Integers) -> _Topics:
    flat = as_rows(worth)
    order = np.argsort(-flat, axis=-1, kind="stable")
    slots = np.empty_like(order)
    np.put_along_axis(slots, order, np.arange(flat.shape[-1])[np.newaxis], axis=-1)
    counts = (flat > 0).sum(axis=-1)
    best = np.take_along_axis(flat, order, axis=-1)[:, : counts.max(initial=0)]
    size = best.shape[1]
    ends = np.diff(best, axis=-1, append=-1.0) < 0
    less = np.where(ends, np.arange(1, size + 1), size)
    less = np.flip(np.minimum.accumulate(np.flip(less, axis=-1), axis=-1), axis=-1)
    return _Topics(best, total(best), less, slots, counts, judged.ravel())


def _values(
    places: Integers, topic_of: Integers, topics: _Topics, norm: str, omit_top: int
) -> Floats:
    """Some rankings, (rows, depth), each of the topic that `of` tells."""
    known = places >= 0
    listed = known.sum(axis=-1)
    refuse_repeats(places, topics.slots.shape[1])
    begins = topic_of[:, np.newaxis] * topics.slots.shape[1]
    slots = topics.slots.take(begins + np.maximum(places, 0)) if known.any() else places
    row, rank, column = together(known & (slots < topics.counts[topic_of, np.newaxis]))
    slot = slots[row, rank]
    retrieved = np.zeros((len(places), topics.worth.shape[1]), dtype=bool)
    retrieved[row, slot] = True
    worth = np.zeros((len(places), column.max(initial=0) + 1))
    worth[row, column] = topics.worth[topic_of[row], slot]
    without = np.zeros(worth.shape, dtype=np.int64)  # judged documents above, worth nothing
    without[row, column] = (np.cumsum(known, axis=-1) - known)[row, rank] - column
    whole, missing = topics.whole[topic_of], _missing(retrieved, listed, topic_of, topics)
    each = np.ones(worth.shape)
    if norm == "absolute":
        lost = ratio(misplaced(worth, without, each) + missing, topics.judged[topic_of] - whole)
    else:
        each = ratio(each, without + np.arange(worth.shape[1]))
        lost = misplaced(worth, without, each) + ratio(missing, listed)
    left = whole
    if omit_top:
        top = (column == 0) & (without[row, column] == 0)
        counted = topics.worth[topic_of]
        counted[row[top], slot[top]] = 0.0  # summed anew: a difference of sums would lose digits
        left = total(counted)
    # Nothing is lost where all is; rounding alone brings it below 0.
    return np.where(whole > 0, np.maximum(1 - ratio(lost, left), 0), 0.0)


def refuse_repeats(places: Integers, judged: int) -> None:
    """GainError where a ranking has one of the judged documents twice, of whatever gain."""
    rows = as_rows(places)
    marks = np.zeros((len(rows), judged + 1), dtype=bool)  # the first column: unjudged
    begins = np.arange(len(rows))[:, np.newaxis] * marks.shape[1]
    marks.reshape(-1)[np.maximum(rows, -1) + 1 + begins] = True
    if np.count_nonzero(marks[:, 1:]) < np.count_nonzero(rows >= 0):
        raise GainError("a document is ranked twice")


def _missing(
    retrieved: NDArray[np.bool_], listed: Integers, topic_of: Integers, topics: _Topics
) -> Floats:
    """What documents that are not retrieved lose to all that are and are worth less."""
    worth = topics.worth[topic_of]
    less = topics.less[topic_of] + np.arange(len(topic_of))[:, np.newaxis] * (worth.shape[1] + 1)
    count = _from_here(retrieved.astype(np.float64))
    lower = (listed - count[:, 0])[:, np.newaxis] + count.take(less)
    lost = worth * lower - _from_here(worth * retrieved).take(less)
    return total(np.where(retrieved, 0.0, lost))


def _from_here(terms: Floats) -> Floats:
    """The sums from each term to the last, and the empty one behind."""
    sums = np.zeros((len(terms), terms.shape[1] + 1))
    np.cumsum(terms[:, ::-1], axis=-1, out=sums[:, -2::-1])
    return sums
