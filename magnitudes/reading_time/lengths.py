"""What time-biased gain asks of documents: how long they are, and which ones say the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.files.duplicates import Classes
from magnitudes.files.ids import Ids, decoded

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lengths:
    """Documents by number, and what is known of them; -1 is the number of any other.

    `numbers`: by document id; `words`: (documents + 1,), NaN where not known and at the last
    place; `classes`: of near duplicates, -1 where there is none, (1 or topics, documents + 1), or
    None if no classes were given.
    """

    numbers: Mapping[str, int]
    words: Floats
    classes: Ints | None

    def of_ranked(self, numbers: NDArray[np.integer[Any]]) -> dict[str, NDArray[Any]]:
        """Of documents in rank order, (..., topics, ranks), what measures know as these names."""
        words = {"words": self.words[numbers]}
        if self.classes is None:
            return words
        return words | {"repeats": repeats(self.of_class(numbers))}

    def of_judged(self, doc_ids: Sequence[Ids], width: int) -> dict[str, NDArray[Any]]:
        """The same of the judged documents of each topic; arrays are (topics, width)."""
        numbers = np.full((len(doc_ids), width), -1)
        for row, ids in zip(numbers, doc_ids, strict=True):
            row[: len(ids)] = [self.numbers.get(doc_id, -1) for doc_id in decoded(ids)]
        classes = self.of_class(numbers)
        # A document without duplicates is the only one of its class.
        alone = classes.max(initial=-1) + 1 + np.arange(width)
        return {
            "judged_words": self.words[numbers],
            "judged_classes": np.where(classes < 0, alone, classes),
        }

    def of_class(self, numbers: NDArray[np.integer[Any]]) -> Ints:
        """The classes of documents, (..., topics, documents); all -1 if none were given."""
        if self.classes is None:
            return np.full(numbers.shape, -1)
        topics = np.arange(numbers.shape[-2]) if len(self.classes) > 1 else np.zeros(1, np.int64)
        result: Ints = self.classes[topics[:, np.newaxis], numbers]
        return result


def lengths(words: Mapping[str, int], classes: Classes | None, query_ids: Sequence[str]) -> Lengths:
    """Lengths by document id, and classes as `files.duplicates` reads them, for some topics.

    A document of which only the class is known has no length.

    >>> result = lengths({"a": 10, "b": 20}, {"": {"b": "x", "c": "x"}}, ["1", "2"])
    >>> result.words, result.of_class(np.array([[0, 1], [2, -1]]))
    (array([10., 20., nan, nan]), array([[-1,  0],
           [ 0, -1]]))
    """
    named = [doc_id for of_topic in (classes or {}).values() for doc_id in of_topic]
    numbers = {doc_id: number for number, doc_id in enumerate(dict.fromkeys([*words, *named]))}
    known = np.full(len(numbers) + 1, np.nan)
    known[: len(words)] = list(words.values())
    return Lengths(numbers, known, None if classes is None else _table(classes, numbers, query_ids))


def _table(classes: Classes, numbers: Mapping[str, int], query_ids: Sequence[str]) -> Ints:
    topics = [""] if "" in classes else list(query_ids)
    table = np.full((len(topics), len(numbers) + 1), -1)
    for row, query_id in zip(table, topics, strict=True):
        of_topic = classes.get(query_id, {})
        names = {name: code for code, name in enumerate(dict.fromkeys(of_topic.values()))}
        row[[numbers[doc_id] for doc_id in of_topic]] = [names[name] for name in of_topic.values()]
    return table


def repeats(classes: ArrayLike) -> NDArray[np.bool_]:
    """Which documents of lists are near duplicates of an earlier one of their list.

    `classes`: shape (..., depth), whole numbers from 0, the same for near duplicates; a negative
    one for a document without any. Returns the same shape.

    >>> repeats([[3, -1, 3, -1], [-1, 3, 5, 3]])
    array([[False, False,  True, False],
           [False, False, False,  True]])
    """
    class_of = np.asarray(classes, dtype=np.int64)
    ranks = max(class_of.shape[-1], 1)
    # Class and rank in one number: sorted, each class stands together, first rank first.
    ordered = np.sort(class_of * ranks + np.arange(class_of.shape[-1]), axis=-1)
    name, rank = np.divmod(ordered, ranks)
    again = np.zeros(class_of.shape, dtype=bool)
    again[..., 1:] = (name[..., 1:] == name[..., :-1]) & (name[..., 1:] >= 0)
    marks = np.zeros(class_of.shape, dtype=bool)
    np.put_along_axis(marks, rank, again, axis=-1)
    return marks
