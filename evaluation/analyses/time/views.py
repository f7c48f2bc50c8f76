"""Views of documents: who looked at what for how long, and how long it was.

A view is one worker's whole time on one document of a unit, later visits and the justification
included. It is repeated if the worker has judged the same document, or a near duplicate of it on
the same topic, before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from evaluation.analyses.study.data import Floats, Ints, StudyData
from evaluation.reading.line import repeated
from evaluation.reading.near_duplicates import near_duplicates


@dataclass(frozen=True, eq=False)
class Views:
    """One entry a view: words, seconds, worker, unit, topic, whether it is repeated."""

    words: Floats
    seconds: Floats
    workers: Ints
    units: Ints
    topics: Ints
    again: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.words)

    def where(self, mask: NDArray[np.bool_]) -> "Views":
        return Views(*(getattr(self, field.name)[mask] for field in fields(self)))


@dataclass(frozen=True)
class Seen:
    """All views of documents of known length; how many documents have none; near duplicates.

    duplicates: of each topic, how many documents have a near duplicate.
    """

    views: Views
    without: int
    duplicates: list[int]


def seen(data: StudyData) -> Seen:
    """The views of a study that was judged here."""
    words = _flat(data, [of[t.codes] for of, t in zip(data.lengths, data.topics, strict=True)])
    classes = [
        near_duplicates(
            data.collected.texts(topic.doc_ids) if data.collected else (), seed=data.seed
        ).classes
        for topic in data.topics
    ]
    document = _documents(data, classes)
    items = data.items
    finished = np.repeat(data.per_unit("finished"), data.unit_size)
    order = np.lexsort((data.positions, data.unit_of, finished))
    again = np.zeros(len(items), dtype=bool)
    again[order] = repeated(data.worker_of[order], document[items][order])
    views = Views(
        words[items], data.seconds, data.worker_of, data.unit_of, data.topic_of_item[items], again
    )
    known = ~np.isnan(views.words)
    without = len(np.unique(items[~known]))
    return Seen(views.where(known), without, [len(of) for of in classes])


def _flat(data: StudyData, parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)


def _documents(data: StudyData, classes: Sequence[Mapping[str, str]]) -> Ints:
    """A number for each item, the same for one document on several topics, and near duplicates."""
    named = [doc_id for topic in data.topics for doc_id in topic.doc_ids]
    number = {doc_id: place for place, doc_id in enumerate(dict.fromkeys(named))}
    pairs = [(number[one], number[other]) for of in classes for one, other in of.items()]
    one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(one)), (one, other)), shape=(len(number), len(number)))
    of_document = (
        connected_components(graph, directed=False)[1] if number else np.empty(0, dtype=np.int64)
    )
    return np.array([of_document[number[doc_id]] for doc_id in named], dtype=np.int64)
