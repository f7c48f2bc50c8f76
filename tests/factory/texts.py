"""Studies whose collection has texts, made without a database."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from evaluation.study.data import StudyData
from tests.factory.arrays import STRANGE
from tests.factory.opinions import graded_study, random_opinions

NONE = float("nan")


@dataclass
class Shelf:
    """Stands for `Collected`: lengths by document code, the same on all topics."""

    of_topics: Mapping[int, np.ndarray]
    lengths: np.ndarray
    said: Mapping[str, str] = field(default_factory=dict)

    def lists(self, topic: int, by_rank: bool = False) -> np.ndarray:
        return self.of_topics[topic]

    def words(self, topic: int, *codes: np.ndarray) -> np.ndarray:
        size = max((int(some.max(initial=-1)) for some in codes), default=-1) + 1
        found = np.full(size + 1, np.nan)
        found[:size] = np.resize(self.lengths, size)
        return found

    def texts(self, doc_ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        return ((doc_id, self.said.get(doc_id, doc_id)) for doc_id in doc_ids)


def with_texts(data: StudyData, lengths: Any = None, **said: str) -> StudyData:
    """The same study, its documents so long (from 20 words on), and their texts by id."""
    words = np.random.default_rng(7).integers(20, 900, 97) if lengths is None else lengths
    lists = {topic.key: topic.lists for topic in data.topics}
    shelf = Shelf(lists, np.array(words, dtype=float), said)
    return replace(data, collected=shelf)  # type: ignore[arg-type]  # as good as one


WITH_TEXTS = {
    **{name: lambda make=make: with_texts(make()) for name, make in STRANGE.items()},
    "no texts": STRANGE["one topic"],
    "documents of one length": lambda: with_texts(STRANGE["one topic"](), [100]),
    "some without a text": lambda: with_texts(STRANGE["one topic"](), [100, NONE, 200, 300, 50]),
    "levels": lambda: with_texts(graded_study()),
    "opinions given elsewhere": lambda: with_texts(random_opinions(1)),
    "opinions without texts": partial(random_opinions, 1),
}
