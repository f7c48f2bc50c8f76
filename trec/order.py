"""The order in which a run is evaluated."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Integers = npt.NDArray[np.int64]


def evaluation_order(scores: npt.NDArray[np.float64], doc_ids: pa.Array) -> Integers:
    """The permutation that puts one topic's documents in the order of evaluation.

    Score descending; equal scores by document id, descending, compared byte by byte in UTF-8:
    trec_eval's convention. The rank field of a run plays no part.

    `scores`: n finite numbers; `doc_ids`: n strings (pyarrow). Returns n positions, so that
    `scores[order]` and `doc_ids.take(order)` are in order. Raises ValueError when the lengths
    differ or a score is NaN.
    """
    if len(scores) != len(doc_ids):
        raise ValueError(f"{len(scores)} scores for {len(doc_ids)} documents")
    if np.isnan(scores).any():
        raise ValueError("a score is NaN")
    order = order_by_topic(np.zeros(len(scores), np.int32), scores, doc_ids)
    return np.arange(len(scores)) if order is None else order


def order_by_topic(
    topics: npt.NDArray[np.int32], scores: npt.NDArray[np.float64], doc_ids: pa.Array
) -> Integers | None:
    """`evaluation_order` of many topics at once, topics by ascending code.

    `topics` holds each row's topic as a code. Returns None where the rows are in order already,
    which is common enough to be worth knowing.
    """
    order = None
    if not is_in_order(topics, scores):
        order = np.lexsort((-scores, topics))
        topics, scores = topics[order], scores[order]
    tied = (topics[1:] == topics[:-1]) & (scores[1:] == scores[:-1])
    if not tied.any():
        return order
    if order is None:
        order = np.arange(len(scores))
    _sort_ties(order, tied, doc_ids)
    return order


def is_in_order(topics: npt.NDArray[np.int32], scores: npt.NDArray[np.float64]) -> bool:
    """Whether rows come topic by topic, and with scores that never rise, but for ties."""
    steps = topics[1:] - topics[:-1]
    return bool(((steps > 0) | ((steps == 0) & (scores[1:] <= scores[:-1]))).all())


def _sort_ties(order: Integers, tied: npt.NDArray[np.bool_], doc_ids: pa.Array) -> None:
    """Order, in place, each stretch of rows of which `tied` says that it equals its neighbour."""
    within = np.append(False, tied) | np.append(tied, False)
    group = np.append(0, np.cumsum(~tied))[within]
    rows = order[within]
    keys = [("group", "ascending"), ("doc_id", "descending")]
    table = pa.table({"group": group, "doc_id": doc_ids.take(pa.array(rows))})
    order[within] = rows[pc.sort_indices(table, sort_keys=keys).to_numpy()]
