"""Views of documents: who looked at what for how long, and how long it was.

A view is one worker's whole time on one document of a unit, later visits and the justification
included. It is repeated if the worker has judged the same document, or a near duplicate of it on
the same topic, before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import scipy  # its parts are loaded when they are used
from numpy.typing import NDArray

from evaluation.study.data import Floats, Ints, StudyData
from magnitudes.reading_time.line import repeated
from magnitudes.reading_time.near_duplicates import near_duplicates

PAPER = "Smucker and Clarke, SIGIR 2012"
Classes = Mapping[str, str]  # of near duplicates, by document


@dataclass(frozen=True, eq=False)
class Views:
    """One entry a view: words, seconds, worker, unit, topic, place in the unit from 1 on, and
    whether it is repeated."""

    words: Floats
    seconds: Floats
    workers: Ints
    units: Ints
    topics: Ints
    positions: Ints
    repeated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.words)

    def where(self, mask: NDArray[np.bool_]) -> "Views":
        return Views(*(getattr(self, field.name)[mask] for field in fields(self)))


@dataclass(frozen=True, eq=False)
class StudyViews:
    """All views of documents of known length.

    without_text: how many judged documents are left out. duplicates: of each topic, how many
    documents have a near duplicate.
    """

    all: Views
    without_text: int
    duplicates: list[int]

    @property
    def first(self) -> Views:
        return self.all.where(~self.all.repeated)

    @property
    def again(self) -> Views:
        return self.all.where(self.all.repeated)


def of_study(data: StudyData) -> StudyViews:
    """The views of a study that was judged here."""
    classes = [_near_duplicates(data, topic.doc_ids) for topic in data.topics]
    judgments, items = data.judgments, data.judgments.items
    words = _words(data)[items]
    views = Views(
        words,
        judgments.seconds,
        judgments.workers,
        judgments.units,
        data.documents.topics[items],
        judgments.positions,
        _repeated(data, _document_numbers(data, classes)[items]),
    )
    known = ~np.isnan(words)
    without_text = len(np.unique(items[~known]))
    return StudyViews(views.where(known), without_text, [len(of_topic) for of_topic in classes])


def _near_duplicates(data: StudyData, doc_ids: Sequence[str]) -> Classes:
    texts = data.collected.texts(doc_ids) if data.collected else ()
    return near_duplicates(texts, seed=data.seed).classes


def _words(data: StudyData) -> Floats:
    """The length of each item."""
    by_topic = zip(data.topics, data.lengths, strict=True)
    return np.concatenate([np.empty(0), *(lengths[topic.codes] for topic, lengths in by_topic)])


def _document_numbers(data: StudyData, classes: Sequence[Classes]) -> Ints:
    """A number for each item, the same for one document on several topics, and near duplicates."""
    names = [doc_id for topic in data.topics for doc_id in topic.doc_ids]
    number = {doc_id: place for place, doc_id in enumerate(dict.fromkeys(names))}
    pairs = [(number[a], number[b]) for of_topic in classes for a, b in of_topic.items()]
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    graph = scipy.sparse.coo_array((np.ones(len(pairs)), (a, b)), shape=(len(number), len(number)))
    connected = scipy.sparse.csgraph.connected_components
    component = connected(graph, directed=False)[1] if number else np.empty(0)
    return np.array([component[number[doc_id]] for doc_id in names], dtype=np.int64)


def _repeated(data: StudyData, documents: Ints) -> NDArray[np.bool_]:
    """Of each view, in the order in which units were finished, then units, then pages."""
    finished = np.repeat(data.units.finished, data.unit_size)
    judgments = data.judgments
    order = np.lexsort((judgments.positions, judgments.units, finished))
    again = np.zeros(len(documents), dtype=bool)
    again[order] = repeated(judgments.workers[order], documents[order])
    return again
