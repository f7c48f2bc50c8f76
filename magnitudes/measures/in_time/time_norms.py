"""What time-biased gain may be divided by, so that it does not exceed 1.

Smucker and Clarke (SIGIR 2012), section 5.4, give two: what an unlimited number of relevant
documents of no words would bring, equation (11), and what the relevant documents of the topic bring
in their best order.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import total, validate_gains
from magnitudes.measures.in_time.reader import Reader, before, documents
from magnitudes.measures.relevance import relevant

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]


def unlimited(reader: Reader) -> Floats:
    """N of equation (11): g / (1 - D(T_S + T_D(0) P(C=1|R=1))), of the shape of topics.

    Raises:
        GainError: a number of the reader out of bounds; documents that take no time at all.

    >>> round(float(unlimited(Reader())), 3)
    17.204
    """
    assumed = reader.validate()
    leaving = assumed.leaving(assumed.seconds(np.array([True]), np.zeros(1)))[..., 0]
    if not leaving.all():
        raise GainError("summary and intercept of 0: endless documents that take no time")
    return np.asarray(assumed.gain / leaving)


def ideal(
    judged: ArrayLike,
    words: ArrayLike,
    classes: ArrayLike | None,
    reader: Reader,
    rel: ArrayLike | None = None,
    duplicates: str = "gain",
) -> Floats:
    """N of section 5.4: the largest TBG that a list of the judged relevant documents can have.

    Parameters:
        judged, words, classes: shape (..., n), as `judged`, `judged_words` and `judged_classes` of
            `time_biased.tbg`, as are the others.

    Returns:
        The leading axes of `judged`; NaN where the length of a relevant document is not known.

    Of near duplicates the shortest comes first and the others at once after it, as no document
    takes less time than they. Such a block of m documents brings r = 1 + D(c) (1 + D(c_0) + ... +
    D(c_0)^(m-2)) and takes L seconds; blocks follow one another by r / (1 - D(L)), largest first,
    the best order of discounted rewards (Gittins, JRSS B 41(2), 1979). Where no document has a
    duplicate, this is the order of their lengths.

    Raises:
        GainError: as `time_biased.tbg`.

    100 words take 4.4 + 0.018 · 100 + 7.8 = 14 seconds, here a half-life:

    >>> round(float(ideal([1, 1, 0], [900, 100, 50], None, Reader(14, click=1, save=1))), 12)
    1.5
    """
    assumed = reader.validate()
    gains, _, top = validate_gains(judged, judged)
    hits = relevant(gains, rel, top.shape)
    assumed.fit(top.shape)
    lengths = np.broadcast_to(documents(gains, words, None)[0], hits.shape)
    unknown = (hits & np.isnan(lengths)).any(axis=-1)
    kinds = _kinds(gains.shape[-1], classes)
    order = np.lexsort((lengths, np.broadcast_to(kinds, hits.shape), ~hits), axis=-1)
    hits, lengths, kinds = (
        np.take_along_axis(np.broadcast_to(array, hits.shape), order, axis=-1)
        for array in (hits, lengths, kinds)
    )
    first = hits.copy()
    first[..., 1:] &= kinds[..., 1:] != kinds[..., :-1]
    more = _more(hits, first) if duplicates == "gain" else np.zeros(hits.shape)
    reward, taken = _in_best_order(_blocks(assumed, lengths, more), first, assumed)
    return np.where(unknown, np.nan, assumed.gain * total(reward * assumed.staying(before(taken))))


def _kinds(documents: int, classes: ArrayLike | None) -> NDArray[Any]:
    """Classes, in which a document without duplicates is the only one of its own."""
    class_of = np.full(documents, -1) if classes is None else np.asarray(classes)
    return np.where(class_of < 0, class_of.max(initial=-1) + 1 + np.arange(documents), class_of)


class _Blocks(NamedTuple):
    """Near duplicates, one after the other: what they bring, D at their beginning 1; seconds."""

    reward: Floats
    seconds: Floats


def _blocks(reader: Reader, words: Floats, more: Floats) -> _Blocks:
    """The block that would begin with each document and have so many `more`."""
    all_relevant = np.ones(words.shape, dtype=bool)
    cost = reader.seconds(all_relevant, words)
    again = reader.seconds(all_relevant, np.zeros(words.shape))
    leaves = reader.leaving(again)
    series = more.copy()  # 1 + D(c_0) + ..., as many terms as there are more
    np.divide(reader.leaving(more * again), leaves, out=series, where=leaves > 0)
    return _Blocks(1 + reader.staying(cost) * series * (more > 0), cost + more * again)


def _in_best_order(blocks: _Blocks, first: Marks, reader: Reader) -> tuple[Floats, Floats]:
    """Rewards and seconds of the blocks that the first documents begin; 0 behind the last."""
    leaves = reader.leaving(blocks.seconds)
    index = np.full(first.shape, np.inf)
    np.divide(blocks.reward, leaves, out=index, where=leaves > 0)
    order = np.argsort(np.where(first, -index, np.inf), axis=-1, kind="stable")
    reward, seconds = (np.where(first, array, 0.0) for array in blocks)
    return np.take_along_axis(reward, order, axis=-1), np.take_along_axis(seconds, order, axis=-1)


def _more(hits: Marks, first: Marks) -> Floats:
    """How many relevant documents follow the first of each class; all of a class stand together."""
    behind = hits.shape[-1]
    ranks = np.arange(behind)
    begin = np.where(first, ranks, behind)
    after = np.full(hits.shape, behind)  # where the next class begins
    after[..., :-1] = np.minimum.accumulate(begin[..., :0:-1], axis=-1)[..., ::-1]
    # Relevant documents stand before all others, so that the last class ends with them.
    end = np.minimum(after, hits.sum(axis=-1, keepdims=True))
    return np.where(first, end - ranks - 1.0, 0.0)
