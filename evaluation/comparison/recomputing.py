"""The values of all systems on a topic, for very many choices of its gains at once.

`values` gives what `Measure.evaluate` gives, to 12 digits. nDCG is linear in gains divided by their
ideal, so that systems × choices is one product with a matrix of discounts, sparse, as most
documents are in few lists. ERR is a walk down the ranks, all systems and choices abreast. Any other
measure is asked in parts, as the gains of all ranks of all systems at once may take much memory.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from evaluation.comparison import ComparisonError
from evaluation.comparison.drawing import Floats, Topic
from evaluation.gains.levels import scaled_exponential
from evaluation.measures.names import Measure
from evaluation.measures.ndcg import FORMS, discounts
from evaluation.measures.relevance import between

CELLS = 2_000_000
Recompute = Callable[[Floats], Floats]


def recompute(topic: Topic, measure: Measure) -> Recompute:
    """A function that gives the values of all systems on a topic.

    It takes gains of the shape (documents, choices), NaN where a document is unjudged, and returns
    values of the shape (systems, choices). What depends on the lists alone is done here, once.

    Raises:
        MeasureNameError: the measure asks for something that the topic does not have.
    """
    if measure.name == "nDCG" and set(measure.options) <= {"dcg", "order"}:
        return _ndcg(topic, measure.cutoff, str(measure.options.get("dcg", "log2")))
    if measure.name == "ERR" and set(measure.options) <= {"order"}:
        return _err(topic, measure.cutoff)
    return _any(topic, measure)


def _ndcg(topic: Topic, k: int | None, dcg: str) -> Recompute:
    codes = topic.codes[:, :k]
    discount = discounts(max(codes.shape[1], topic.size), dcg)
    system, rank = np.nonzero(codes >= 0)
    matrix = csr_array(
        (discount[rank], (system, codes[system, rank])), shape=(len(codes), topic.size)
    )
    ideals = min(topic.size, topic.size if k is None else k)

    def values(gains: Floats) -> Floats:
        worth = _worth(gains, exponential=FORMS[dcg].exponential)
        best = np.sort(np.partition(worth, topic.size - ideals, axis=0)[topic.size - ideals :], 0)
        ideal = discount[:ideals] @ best[::-1]
        found = np.asarray(matrix @ worth)
        return np.divide(found, ideal, out=np.zeros_like(found), where=ideal > 0)

    return values if topic.size else _nothing(topic)


def _worth(gains: Floats, exponential: bool) -> Floats:
    """Gains as shares of the largest of their choice; or as 2^G - 1, over 2^largest."""
    known = np.where(np.isnan(gains), 0.0, gains)
    largest = known.max(axis=0)
    if exponential:
        return scaled_exponential(known, largest)
    return np.divide(known, largest, out=np.zeros_like(known), where=largest > 0)


def _err(topic: Topic, k: int | None) -> Recompute:
    codes = topic.codes[:, :k]

    def values(gains: Floats) -> Floats:
        satisfied = np.zeros((topic.size + 1, gains.shape[1]))  # no document: the last one, -1
        satisfied[:-1] = _worth(gains, exponential=True)
        found = np.zeros((len(codes), gains.shape[1]))
        reached = np.ones_like(found)
        for rank, column in enumerate(codes.T, start=1):
            stops = reached * satisfied[column]
            reached -= stops
            found += stops / rank
        return found

    return values if topic.size else _nothing(topic)


def _nothing(topic: Topic) -> Recompute:
    return lambda gains: np.zeros((len(topic.codes), gains.shape[1]))


def _any(topic: Topic, measure: Measure) -> Recompute:
    codes = topic.codes[:, : measure.cutoff]
    listed = codes >= 0
    step = max(1, CELLS // max(codes.size, topic.size, 1))

    def part(gains: Floats) -> Floats:
        of_code = np.full((gains.shape[1], topic.size + 1), np.nan)
        of_code[:, :-1] = gains.T
        per_topic = {
            name: number[:, np.newaxis] for name, number in _per_topic(topic, gains).items()
        }
        found = of_code[:, codes]
        ranked = measure.filled(found, listed, **per_topic)
        judged = np.where(np.isnan(gains), 0.0, gains).T[:, np.newaxis]
        places = np.where(np.isnan(found), -1, codes)
        value = measure.evaluate(ranked, judged, **per_topic, places=places)
        return np.where(listed.any(axis=1), value, 0.0).T

    def values(gains: Floats) -> Floats:
        starts = range(0, gains.shape[1], step)
        return np.concatenate([part(gains[:, start : start + step]) for start in starts], axis=1)

    return values


def _per_topic(topic: Topic, gains: Floats) -> dict[str, NDArray[Any]]:
    """The numbers of a topic that measures may need, for each choice of gains."""
    counts = (~np.isnan(gains)).sum(axis=0)
    numbers = {"n_judged": counts}
    if counts.all():
        numbers["min"] = np.nanmin(gains, axis=0)
    if topic.n_k is not None:
        numbers["n_k"] = gains[topic.n_k]
        if topic.h_k is not None:
            numbers["anchors"] = between(gains[topic.h_k], gains[topic.n_k])
    return numbers


def same_systems(topics: Sequence[Topic]) -> int:
    """How many systems there are.

    Raises:
        ComparisonError: topics with different numbers of systems.
    """
    numbers = {len(topic.codes) for topic in topics}
    if len(numbers) > 1:
        raise ComparisonError(f"all topics must have the same systems, not {sorted(numbers)}")
    return numbers.pop() if numbers else 0
