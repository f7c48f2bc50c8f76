"""The values of all systems on a topic, for very many choices of its gains at once.

`values` gives what `Measure.evaluate` gives, to 12 digits. nDCG is linear in gains divided by their
ideal, so that systems × choices is one product with a matrix of discounts, sparse, as most
documents are in few lists. ERR is a walk down the ranks, all systems and choices abreast. Any other
measure is asked in parts, as the gains of all ranks of all systems at once may take much memory.
"""

from collections.abc import Callable, Sequence

import numpy as np

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.drawing import Floats, Topic
from magnitudes.files.codes import END
from magnitudes.files.lazy import scipy
from magnitudes.gains.levels import scaled_exponential
from magnitudes.measures.by_rank.ndcg import FORMS, discounts
from magnitudes.measures.lists import Lists, numbers_of
from magnitudes.measures.names import Measure
from magnitudes.scaling.groups import chunks

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
    matrix = scipy.sparse.csr_array(
        (discount[rank], (system, codes[system, rank])), shape=(len(codes), topic.size)
    )
    ideals = min(topic.size, topic.size if k is None else k)

    def values(gains: Floats) -> Floats:
        worth = _worth(gains, exponential=FORMS[dcg].exponential)
        best = np.sort(np.partition(worth, topic.size - ideals, axis=0)[topic.size - ideals :], 0)
        ideal = discount[:ideals] @ best[::-1]
        actual = np.asarray(matrix @ worth)
        result: Floats = np.divide(actual, ideal, out=np.zeros_like(actual), where=ideal > 0)
        return result

    return values if topic.size else _nothing(topic)


def _worth(gains: Floats, exponential: bool) -> Floats:
    """Gains, 0 where unjudged; or 2^G - 1, over 2^(the largest of their choice)."""
    known = np.where(np.isnan(gains), 0.0, gains)
    return scaled_exponential(known, known.max(axis=0)) if exponential else known


def _err(topic: Topic, k: int | None) -> Recompute:
    codes = topic.codes[:, :k]

    def values(gains: Floats) -> Floats:
        satisfied = np.zeros((topic.size + 1, gains.shape[1]))  # no document: the last one, -1
        satisfied[:-1] = _worth(gains, exponential=True)
        expected = np.zeros((len(codes), gains.shape[1]))
        reached = np.ones_like(expected)
        for rank, column in enumerate(codes.T, start=1):
            stops = reached * satisfied[column]
            reached -= stops
            expected += stops / rank
        return expected

    return values if topic.size else _nothing(topic)


def _nothing(topic: Topic) -> Recompute:
    return lambda gains: np.zeros((len(topic.codes), gains.shape[1]))


def _any(topic: Topic, measure: Measure) -> Recompute:
    places = np.where(topic.codes >= 0, topic.codes, END)[np.newaxis]
    h_k, n_k = (-1 if place is None else place for place in (topic.h_k, topic.n_k))
    cells = max(places[..., : measure.cutoff].size, topic.size)

    def of_some(gains: Floats) -> Floats:
        numbers = numbers_of(gains.T, h_k, n_k)
        by_choice = {name: number[:, np.newaxis] for name, number in numbers.items()}
        return Lists(places, gains.T[:, np.newaxis], by_choice).measure(measure).values.T

    def values(gains: Floats) -> Floats:
        parts = chunks(gains.shape[1], cells)
        return np.concatenate([of_some(gains[:, part]) for part in parts], axis=1)

    return values


def same_systems(topics: Sequence[Topic]) -> int:
    """How many systems there are.

    Raises:
        ComparisonError: topics with different numbers of systems.
    """
    numbers = {len(topic.codes) for topic in topics}
    if len(numbers) > 1:
        raise ComparisonError(f"all topics must have the same systems, not {sorted(numbers)}")
    return numbers.pop() if numbers else 0
