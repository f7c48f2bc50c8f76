"""Relevance labels (qrels): a real number for a topic and a document."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place
from magnitudes.files.ids import Ids, codes, decoded, encoded, has_repeated_pair
from magnitudes.files.parsing.fields import are_labels, identifier, label_number, refuse_long
from magnitudes.files.parsing.plain import Parser, decimals, read_plain, texts
from magnitudes.files.parsing.tables import Column, has_header, is_table, read_rows
from magnitudes.files.parsing.text import decoded_lines, read_bytes, split_lines, uncommented

COLUMNS = (
    Column("query_id", ("num", "number", "topic", "qid")),
    Column("doc_id", ("docno", "docid", "document")),
    Column("relevance", ("label", "rel")),
)
# The score of a run is no label: it is one in BEIR's files alone.
_BEIR = (Column("query_id"), Column("doc_id", ("corpus_id",)), Column("relevance", ("score",)))
BEIR_HEADER = (Column("query_id"), Column("corpus_id"), Column("score"))
_PLAIN: dict[str, Parser] = {
    "topic": texts,
    "iteration": None,
    "document": texts,
    "label": decimals,
}


class TopicLabels(NamedTuple):
    """The labels of one topic: n ids, n numbers."""

    doc_ids: Ids
    labels: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Qrels:
    """Labels as columns of equal length, each topic and document once, in the file's order.

    `labels`: finite, perhaps negative.
    """

    query_ids: Ids
    doc_ids: Ids
    labels: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self) -> Iterator[tuple[str, str, float]]:
        """(query_id, doc_id, label), row by row."""
        return zip(
            decoded(self.query_ids), decoded(self.doc_ids), self.labels.tolist(), strict=True
        )

    def by_topic(self) -> dict[str, TopicLabels]:
        """The labels of each topic, topics by first appearance."""
        topics, query_ids = codes(self.query_ids)
        order = np.argsort(topics, kind="stable")
        doc_ids, labels = self.doc_ids[order], self.labels[order]
        ends = np.cumsum(np.bincount(topics)).tolist()
        parts = map(slice, [0, *ends], ends)
        return {
            query_id: TopicLabels(doc_ids[part], labels[part])
            for query_id, part in zip(decoded(query_ids), parts, strict=True)
        }


def read_qrels(members: Iterable[Member]) -> Qrels:
    """Read one set of labels, from one file or from several parts of it.

    `topic iteration document label` a line, apart by blanks or tabs, and lines of comment that
    begin with #; or a table with the columns query_id, doc_id, relevance, or with BEIR's query-id,
    corpus-id, score. Labels are 0 or lie within the bounds of magnitudes, 1e-9 to 1e12; they may be
    fractions, and negative.

    The same label twice for a pair counts once. Raises BadFile for two different ones, which
    names both lines, for any line that cannot be read, and where there is no label at all.
    """
    files = [_file(member.name, read_bytes(member)) for member in members]
    return _read_plain(files) or _read_lines(files)


class _File(NamedTuple):
    """One file; `columns` are those of a table, and none where it is not one."""

    name: str
    data: bytes
    columns: tuple[Column, ...]


def _file(name: str, data: bytes) -> _File:
    if has_header(data, BEIR_HEADER):
        return _File(name, data, _BEIR)
    if is_table(data, COLUMNS[:2]):
        return _File(name, data, COLUMNS)
    return _File(name, uncommented(data), ())


def _read_plain(files: list[_File]) -> Qrels | None:
    """The labels of files that are plain and without fault or repetition; else None."""
    parts = []
    for file in files:
        columns = read_plain(file.data, _PLAIN)
        if columns is None:
            return None
        parts.append(columns.values())
    if not parts:
        return None
    query_ids, doc_ids, labels = map(np.concatenate, zip(*parts, strict=True))
    topics, _ = codes(query_ids)
    if not are_labels(labels) or has_repeated_pair(topics, doc_ids):
        return None
    return Qrels(query_ids, doc_ids, labels)


def _read_lines(files: list[_File]) -> Qrels:
    seen: dict[tuple[str, str], tuple[float, Place]] = {}
    for file in files:
        for place, query_id, doc_id, text in _cells(*file):
            label = label_number(text, place)
            earlier, where = seen.setdefault((query_id, doc_id), (label, place))
            if earlier != label:
                raise _contradiction(place, f"topic {query_id}, document {doc_id}", where)
    if not seen:
        raise BadFile(", ".join(file.name for file in files) or "qrels", "no labels", "labels")
    query_ids, doc_ids = zip(*seen, strict=True)
    labels = np.array([label for label, _ in seen.values()], np.float64)
    return Qrels(encoded(query_ids), encoded(doc_ids), labels)


def _cells(
    file: str, data: bytes, columns: tuple[Column, ...]
) -> Iterator[tuple[Place, str, str, str]]:
    if not columns:
        for line, (query_id, _, doc_id, label) in split_lines(file, data, tuple(_PLAIN)):
            place = Place(file, line)
            refuse_long(query_id, "topic number", place)
            refuse_long(doc_id, "document id", place)
            yield place, query_id, doc_id, label
        return
    for line, row in read_rows(file, decoded_lines(file, data), columns):
        place = Place(file, line)
        query_id = identifier(row["query_id"], "query_id", place)
        yield place, query_id, identifier(row["doc_id"], "doc_id", place), row["relevance"].strip()


def _contradiction(place: Place, pair: str, earlier: Place) -> BadFile:
    where = f"line {earlier.line}"
    if earlier.file != place.file:
        where = f"{earlier.file}, {where}"
    return place.bad(f"{pair} has another label in {where}", "one label for each pair")
