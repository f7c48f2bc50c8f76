"""Retrieval runs: what each system returned for each topic, in the order of evaluation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place, shown
from magnitudes.files.ids import Ids, codes, decoded, encoded, has_repeated_pair
from magnitudes.files.parsing.fields import (
    identifier,
    is_identifier,
    rank_number,
    real,
    refuse_long,
)
from magnitudes.files.parsing.plain import (
    Parser,
    decimals,
    one_text,
    read_plain,
    texts,
    whole_numbers,
)
from magnitudes.files.parsing.tables import Column, is_table, read_rows
from magnitudes.files.parsing.text import (
    decoded_lines,
    first_cells,
    read_bytes,
    split_lines,
    uncommented,
)

COLUMNS = (
    Column("query_id", ("num", "number", "topic", "qid")),
    Column("doc_id", ("docno", "docid", "document")),
    Column("rank"),
    Column("score"),
    Column("run", ("tag", "run_id")),
)
_TREC: dict[str, Parser] = {
    "topic": texts,
    "Q0": None,
    "document": texts,
    "rank": whole_numbers,
    "score": decimals,
    "tag": one_text,
}
_MS_MARCO = {name: _TREC[name] for name in ("topic", "document", "rank")}
# What a file's name ends in beside the name of the run.
_ENDINGS = frozenset((".gz", ".xz", ".bz2", ".tsv", ".txt", ".run", ".trec", ".res"))

Integers = npt.NDArray[np.int64]


class RunTopic(NamedTuple):
    """What a run returned for one topic, n documents in the order of evaluation.

    `ranks`: the rank field as written, zero-based in some runs and not always in this order;
    `scores`: finite, descending.
    """

    doc_ids: Ids
    ranks: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]


class Run(NamedTuple):
    """One system's run: its tag, and its topics by id, as they first appear in the file."""

    tag: str
    topics: dict[str, RunTopic]


def read_runs(members: Iterable[Member]) -> Iterator[Run]:
    """Read runs one after the other; BadFile also where two files have one tag."""
    files: dict[str, str] = {}
    for member in members:
        run = read_run(member)
        if run.tag in files:
            problem = f"the tag {run.tag} is that of {files[run.tag]} too"
            raise BadFile(member.name, problem, "one file for each run")
        files[run.tag] = member.name
        yield run


def read_run(member: Member) -> Run:
    """Read one run: `topic Q0 document rank score tag` a line, apart by blanks or tabs.

    Or a table with the columns query_id, doc_id, rank, score, run; or `topic document rank` a line,
    as in MS MARCO: then the score is minus the rank, and the tag is the name of the file without
    endings such as .tsv. Lines may come in any order; those that begin with # are comment, in
    tables not. Scores are finite decimals, also in exponent form; ranks are whole numbers, zero or
    more, and play no part in the order where there are scores (see `order_by_topic`).

    Raises BadFile for a line that is not so, a document twice in a topic, a second tag, and a blank
    in the name of a file that names the run.
    """
    return _arranged(checked_rows(member.name, read_bytes(member)))


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a run in the order of the file; `topics` are codes of `query_ids`."""

    tag: str
    query_ids: list[str]
    topics: npt.NDArray[np.int32]
    doc_ids: Ids
    ranks: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]


def checked_rows(file: str, data: bytes) -> Rows:
    """The rows of a run, checked as `read_run` has it."""
    if is_table(data, COLUMNS[:2]):
        return _table_rows(file, data)
    data = uncommented(data)
    tag = _tag_of(file) if _is_ms_marco(data) else ""
    # The slow way decides in all doubtful cases, and names the line of a fault.
    return _plain_rows(data, tag) or _line_rows(file, data, tag)


def _is_ms_marco(data: bytes) -> bool:
    _, cells = first_cells(data)
    return len(cells) == len(_MS_MARCO) and cells[-1].isdigit()


def _tag_of(file: str) -> str:
    """The name of a run that does not name itself."""
    path = PurePosixPath(file.rpartition(":")[2])  # in an archive its name stands before
    while path.suffix.lower() in _ENDINGS:
        path = path.with_suffix("")
    if not is_identifier(path.name):
        problem = f"a run without a tag in a file called {shown(path.name)}"
        raise BadFile(file, problem, "a tag in each line, or a file name without blanks")
    return path.name


def _plain_rows(data: bytes, tag: str) -> Rows | None:
    """The rows of a file that is plain and without fault; None for any other.

    With a `tag`, the columns are those of MS MARCO.
    """
    columns = read_plain(data, _MS_MARCO if tag else _TREC)
    if columns is None:
        return None
    topics, query_ids = codes(columns["topic"])
    doc_ids, ranks = columns["document"], columns["rank"]
    scores = 0.0 - ranks if tag else columns["score"]
    tags = encoded([tag]) if tag else columns["tag"]
    if (
        not np.isfinite(scores).all()
        or (tags != tags[0]).any()
        or has_repeated_pair(topics, doc_ids)
    ):
        return None
    return Rows(tags[0].decode(), decoded(query_ids), topics, doc_ids, ranks, scores)


class _Collected:
    """Rows gathered one by one, each checked against those before it."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._tag = ""
        self._query_ids: dict[str, int] = {}
        self._seen: dict[tuple[int, str], int] = {}
        self._ranks: list[int] = []
        self._scores: list[float] = []

    def add(
        self, line: int, query_id: str, doc_id: str, rank: str, score: str | None, tag: str
    ) -> None:
        """Take a row; without a score, it is minus the rank."""
        place = Place(self._file, line)
        refuse_long(query_id, "topic number", place)
        refuse_long(doc_id, "document id", place)
        refuse_long(tag, "tag", place)
        self._ranks.append(rank_number(rank, place))
        self._scores.append(0.0 - self._ranks[-1] if score is None else real(score, "score", place))
        topic = self._query_ids.setdefault(query_id, len(self._query_ids))
        earlier = self._seen.setdefault((topic, doc_id), line)
        if len(self._seen) < len(self._ranks):
            problem = f"topic {query_id}, document {doc_id} again (first in line {earlier})"
            raise place.bad(problem, "each document once in a topic")
        self._tag = self._tag or tag
        if tag != self._tag:
            raise place.bad(f"the tag {tag} after {self._tag}", "one tag in a file")

    def rows(self) -> Rows:
        if not self._ranks:
            raise BadFile(self._file, "no lines in it", "a run")
        topics, doc_ids = zip(*self._seen, strict=True)
        return Rows(
            self._tag,
            list(self._query_ids),
            np.array(topics, np.int32),
            encoded(doc_ids),
            np.array(self._ranks, np.int32),
            np.array(self._scores, np.float64),
        )


def _line_rows(file: str, data: bytes, tag: str) -> Rows:
    collected = _Collected(file)
    for line, cells in split_lines(file, data, tuple(_MS_MARCO if tag else _TREC)):
        if tag:
            query_id, doc_id, rank = cells
            collected.add(line, query_id, doc_id, rank, None, tag)
        else:
            query_id, _, doc_id, rank, score, own_tag = cells
            collected.add(line, query_id, doc_id, rank, score, own_tag)
    return collected.rows()


def _table_rows(file: str, data: bytes) -> Rows:
    collected = _Collected(file)
    for line, row in read_rows(file, decoded_lines(file, data), COLUMNS):
        place = Place(file, line)
        query_id = identifier(row["query_id"], "query_id", place)
        doc_id = identifier(row["doc_id"], "doc_id", place)
        tag = identifier(row["run"], "run", place)
        collected.add(line, query_id, doc_id, row["rank"].strip(), row["score"].strip(), tag)
    return collected.rows()


def _arranged(rows: Rows) -> Run:
    order = order_by_topic(rows.topics, rows.scores, rows.doc_ids)
    doc_ids, ranks, scores = rows.doc_ids, rows.ranks, rows.scores
    if order is not None:
        doc_ids, ranks, scores = doc_ids[order], ranks[order], scores[order]
    ends = np.cumsum(np.bincount(rows.topics)).tolist()
    slices = map(slice, [0, *ends], ends)
    return Run(
        rows.tag,
        {
            query_id: RunTopic(doc_ids[part], ranks[part], scores[part])
            for query_id, part in zip(rows.query_ids, slices, strict=True)
        },
    )


def order_by_topic(
    topics: npt.NDArray[np.int32], scores: npt.NDArray[np.float64], doc_ids: Ids
) -> Integers | None:
    """The permutation that puts rows in the order of evaluation, topics by ascending code.

    Score descending; equal scores by document id, descending, compared byte by byte in UTF-8:
    trec_eval's convention. The rank field of a run plays no part. Returns None where the rows are
    in order already, which is common enough to be worth knowing.
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
    # Each stretch of rows that equal their neighbours.
    within = np.append(False, tied) | np.append(tied, False)
    stretch = np.append(0, np.cumsum(~tied))[within]
    rows = order[within]
    order[within] = rows[np.lexsort((doc_ids[rows], -stretch))[::-1]]
    return order


def is_in_order(topics: npt.NDArray[np.int32], scores: npt.NDArray[np.float64]) -> bool:
    """Whether rows come topic by topic, and with scores that never rise, but for ties."""
    steps = topics[1:] - topics[:-1]
    return bool(((steps > 0) | ((steps == 0) & (scores[1:] <= scores[:-1]))).all())
