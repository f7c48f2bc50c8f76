"""Runs as measures need them: of every list its judged documents, as codes, down to a rank.

Files are checked as `trec.runs` checks them, but only the top of a list is put in order, and only
judged documents are told apart. One thread reads one file at a time, so that no more files than
threads are in memory.
"""

from __future__ import annotations  # which would load pyarrow

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trec.codes import END, UNJUDGED
from trec.containers.archives import Member
from trec.errors import BadFile
from trec.lazy import pa, pc
from trec.parsing.text import read_bytes
from trec.runs import Rows, checked_rows, is_in_order, order_by_topic

_FEW = 200  # documents: looking up so many is faster than making a table of all judged ones
_THREADS = min(8, os.cpu_count() or 1)

Codes = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]


class Cut(NamedTuple):
    """How lists are wanted: down to a rank (None: to the end), and in which order.

    By score, which is the order of evaluation; or by the rank field as written, smallest first,
    equal ranks in the order of evaluation.
    """

    depth: int | None
    by_rank: bool = False


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """The lists of one run. `codes`: for each cut, (topics, its depth or the longest list).

    A judged document's code is its place among those of its topic; UNJUDGED is any other, END is
    below the end of a list, and at every rank where the run has none for the topic.
    `unlabelled`: how many topics of the run have no labels. `numbers`: of the same shapes, if
    numbers of documents were given; -1 where there is none.
    """

    tag: str
    codes: list[Codes]
    unlabelled: int
    numbers: list[Codes]


class JudgedDocuments:
    """The judged documents of topics, by query id, in the order in which codes count them."""

    def __init__(self, doc_ids: Mapping[str, pa.Array]) -> None:
        self.places = {query_id: place for place, query_id in enumerate(doc_ids)}
        self.doc_ids = list(doc_ids.values())
        self._codes = [
            {doc_id: code for code, doc_id in enumerate(ids.to_pylist())} for ids in self.doc_ids
        ]

    def codes(self, places: Integers, doc_ids: pa.Array) -> Codes:
        """The codes of documents, each in the topic at its place; topic comes after topic."""
        starts = np.flatnonzero(np.diff(places, prepend=-1))
        if len(doc_ids) < _FEW * len(starts):
            pairs = zip(places.tolist(), doc_ids.to_pylist(), strict=True)
            return np.array([self._codes[p].get(i, UNJUDGED) for p, i in pairs], np.int32)
        codes = np.empty(len(doc_ids), np.int32)
        for start, end in pairwise([*starts.tolist(), len(doc_ids)]):
            known = self.doc_ids[places[start]]
            places_among_judged = pc.index_in(doc_ids[start:end], value_set=known)
            codes[start:end] = pc.fill_null(places_among_judged, UNJUDGED).to_numpy()
        return codes


def read_judged_runs(
    members: Iterable[Member],
    judged: JudgedDocuments,
    cuts: Sequence[Cut],
    numbers: Mapping[str, int] | None = None,
) -> Iterator[JudgedRun]:
    """Read runs, in the order of the files; BadFile as `read_runs` raises it.

    `numbers`: by document id, judged or not; the runs then hold them too.
    """
    files: dict[str, str] = {}
    for name, run in _at_once(members, partial(_understood, judged, cuts, numbers)):
        if run.tag in files:
            problem = f"the tag {run.tag} is that of {files[run.tag]} too"
            raise BadFile(name, problem, "one file for each run")
        files[run.tag] = name
        yield run


def _at_once(
    members: Iterable[Member], understood: Callable[[str, bytes], JudgedRun]
) -> Iterator[tuple[str, JudgedRun]]:
    """Files are read by one thread and understood by others, none far ahead of the rest."""
    pending: deque[tuple[str, Future[JudgedRun]]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for member in members:
            data = read_bytes(member)
            pending.append((member.name, pool.submit(understood, member.name, data)))
            del data
            if len(pending) > _THREADS:
                name, future = pending.popleft()
                yield name, future.result()
        for name, future in pending:
            yield name, future.result()


def _understood(
    judged: JudgedDocuments,
    cuts: Sequence[Cut],
    numbers: Mapping[str, int] | None,
    file: str,
    data: bytes,
) -> JudgedRun:
    rows = checked_rows(file, data, threads=False)
    places = np.array([judged.places.get(query_id, -1) for query_id in rows.query_ids])
    tops = [_top(rows, places, len(judged.places), cut) for cut in cuts]
    return JudgedRun(
        rows.tag,
        [top.filled(END, judged.codes(top.lists, top.doc_ids)) for top in tops],
        int(np.count_nonzero(places < 0)),
        [] if numbers is None else [top.filled(-1, _numbers(top.doc_ids, numbers)) for top in tops],
    )


class _Top(NamedTuple):
    """The documents down to a cut, list after list, and where they stand in (topics, depth)."""

    doc_ids: pa.Array
    lists: Integers
    ranks: Integers
    topics: int

    def filled(self, empty: int, codes: Codes) -> Codes:
        table = np.full((self.topics, self.ranks.max(initial=-1) + 1), empty, np.int32)
        table[self.lists, self.ranks] = codes
        return table


def _top(rows: Rows, places: Integers, judged: int, cut: Cut) -> _Top:
    """The lists of all judged topics down to a cut; `places` has the run's topics among them."""
    depth = min(cut.depth or len(rows.topics), len(rows.topics))
    chosen = _by_rank(rows) if cut.by_rank else _by_score(rows, depth)
    topics = rows.topics[chosen]
    ranks = np.arange(len(topics)) - np.searchsorted(topics, topics)
    within = (ranks < depth) & (places[topics] >= 0)
    doc_ids = rows.doc_ids.take(pa.array(chosen[within]))
    return _Top(doc_ids, places[topics[within]], ranks[within], judged)


def _numbers(doc_ids: pa.Array, numbers: Mapping[str, int]) -> Codes:
    known = (numbers.get(doc_id, -1) for doc_id in doc_ids.to_pylist())
    return np.fromiter(known, np.int32, len(doc_ids))


def _by_rank(rows: Rows) -> Integers:
    """All rows, topic after topic, each in the order of its rank field."""
    order = order_by_topic(rows.topics, rows.scores, rows.doc_ids)
    order = np.arange(len(rows.topics)) if order is None else order
    return order[np.lexsort((rows.ranks[order], rows.topics[order]))]


def _by_score(rows: Rows, depth: int) -> Integers:
    """The rows of the first `depth` ranks and some more, topic after topic, each in order."""
    near = np.flatnonzero(rows.scores >= _lowest(rows, depth)[rows.topics])
    order = order_by_topic(rows.topics[near], rows.scores[near], rows.doc_ids.take(pa.array(near)))
    return near if order is None else near[order]


def _lowest(rows: Rows, depth: int) -> npt.NDArray[np.float64]:
    """The score at rank `depth` of each topic, or at the end of its list."""
    scores = rows.scores
    if not is_in_order(rows.topics, scores):
        scores = scores[np.lexsort((-scores, rows.topics))]
    sizes = np.bincount(rows.topics)
    ends = np.cumsum(sizes)
    return scores[ends - sizes + np.minimum(depth, sizes) - 1]
