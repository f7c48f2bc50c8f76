"""Rankings to their end, and lengths and texts of the documents in them.

All of it is large, so that it is read from the collection when an analysis asks for it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judging import completed
from judging.models import Document, Study, StudyTopic
from magnitudes.files.lengths import shown_text

Codes = NDArray[np.int32]  # documents in a topic's vocabulary
TEXTS_PER_CHUNK = 1000  # in memory


@dataclass(frozen=True)
class Collected:
    """What the collection has beside a study; `runs` are keys, topics go by the study's own."""

    study: Study
    runs: list[int]

    def lists(self, topic: int, by_rank: bool = False) -> Codes:
        """Every run on a topic to its end, as `completed.rankings` has them."""
        return completed.rankings(self._topic(topic), self.runs, None, by_rank=by_rank)

    def words(self, topic: int, *codes: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Lengths of documents by code, NaN where there is no text, and at the end."""
        if not Document.objects.filter(collection=self.study.collection_id).exists():
            highest = max((int(some.max(initial=-1)) for some in codes), default=-1)
            return np.full(highest + 2, np.nan)
        return completed.words(self._topic(topic), *codes)

    def texts(self, doc_ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Title and text of the documents that have one, by id."""
        documents = Document.objects.filter(collection=self.study.collection_id)
        ids = sorted(set(doc_ids))
        for begin in range(0, len(ids), TEXTS_PER_CHUNK):
            some = documents.filter(doc_id__in=ids[begin : begin + TEXTS_PER_CHUNK])
            for document in some.order_by("doc_id"):
                yield document.doc_id, shown_text(document)  # type: ignore[arg-type]  # has its fields

    def _topic(self, key: int) -> int:
        return StudyTopic.objects.values_list("topic_id", flat=True).get(pk=key)
