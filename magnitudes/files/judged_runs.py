"""Runs as measures need them: of every list its judged documents, as codes, down to a rank.

Files are checked as `files.runs` checks them, but only the top of a list is put in order, and only
judged documents are told apart. One thread reads one file at a time, so that no more files than
threads are in memory.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from magnitudes.files.codes import END, UNJUDGED
from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile
from magnitudes.files.ids import Ids, decoded, encoded, pair_hashes
from magnitudes.files.parsing.text import read_bytes
from magnitudes.files.runs import Rows, checked_rows, is_in_order, order_by_topic

if TYPE_CHECKING:
    from concurrent.futures import Future

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


class JudgedRun(NamedTuple):
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

    def __init__(self, doc_ids: Mapping[str, Ids]) -> None:
        self.places = {query_id: place for place, query_id in enumerate(doc_ids)}
        self.doc_ids = list(doc_ids.values())
        sizes = [len(ids) for ids in self.doc_ids]
        ids = np.concatenate([encoded([]), *self.doc_ids])
        hashes = pair_hashes(np.repeat(np.arange(len(sizes)), sizes), ids)
        order = np.argsort(hashes)
        codes = np.concatenate([np.arange(0), *map(np.arange, sizes)])
        self._hashes, self._ids, self._codes = hashes[order], ids[order], codes[order]
        self._n_alike = np.unique_counts(hashes).counts.max(initial=0)  # with one hash

    def codes(self, places: Integers, doc_ids: Ids) -> Codes:
        """The codes of documents, each in the topic at its place."""
        codes = np.full(len(doc_ids), UNJUDGED, np.int32)
        hashes = pair_hashes(places, doc_ids)
        first = np.searchsorted(self._hashes, hashes)
        for place in range(self._n_alike):
            known = np.minimum(first + place, len(self._hashes) - 1)
            rows = np.flatnonzero(self._hashes[known] == hashes)
            rows = rows[self._ids[known[rows]] == doc_ids[rows]]
            codes[rows] = self._codes[known[rows]]
        return codes


def read_judged_runs(
    members: Iterable[Member | Rows],
    judged: JudgedDocuments,
    cuts: Sequence[Cut],
    numbers: Mapping[str, int] | None = None,
) -> Iterator[JudgedRun]:
    """Read runs, in the order of the files; BadFile as `read_runs` raises it.

    Rows are runs that somebody has read already, and checked. `numbers`: by document id, judged or
    not; the runs then hold them too.
    """
    files: dict[str, str] = {}
    for name, run in _at_once(members, partial(_understood, judged, cuts, numbers)):
        if run.tag in files:
            problem = f"the tag {run.tag} is that of {files[run.tag]} too"
            raise BadFile(name, problem, "one file for each run")
        files[run.tag] = name
        yield run


def _at_once(
    members: Iterable[Member | Rows], understood: Callable[[str, bytes | Rows], JudgedRun]
) -> Iterator[tuple[str, JudgedRun]]:
    """Files are read by one thread and understood by others, none far ahead of the rest."""
    from concurrent.futures import ThreadPoolExecutor  # which loads logging

    pending: deque[tuple[str, Future[JudgedRun]]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for member in members:
            name, data = _named(member)
            pending.append((name, pool.submit(understood, name, data)))
            del data
            if len(pending) > _THREADS:
                name, future = pending.popleft()
                yield name, future.result()
        for name, future in pending:
            yield name, future.result()


def _named(member: Member | Rows) -> tuple[str, bytes | Rows]:
    if isinstance(member, Rows):
        return f"run {member.tag}", member
    return member.name, read_bytes(member)


def _understood(
    judged: JudgedDocuments,
    cuts: Sequence[Cut],
    numbers: Mapping[str, int] | None,
    file: str,
    data: bytes | Rows,
) -> JudgedRun:
    rows = data if isinstance(data, Rows) else checked_rows(file, data)
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

    doc_ids: Ids
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
    return _Top(rows.doc_ids[chosen[within]], places[topics[within]], ranks[within], judged)


def _numbers(doc_ids: Ids, numbers: Mapping[str, int]) -> Codes:
    known = (numbers.get(doc_id, -1) for doc_id in decoded(doc_ids))
    return np.fromiter(known, np.int32, len(doc_ids))


def _by_rank(rows: Rows) -> Integers:
    """All rows, topic after topic, each in the order of its rank field."""
    order = order_by_topic(rows.topics, rows.scores, rows.doc_ids)
    order = np.arange(len(rows.topics)) if order is None else order
    return order[np.lexsort((rows.ranks[order], rows.topics[order]))]


def _by_score(rows: Rows, depth: int) -> Integers:
    """The rows of the first `depth` ranks and some more, topic after topic, each in order."""
    near = np.flatnonzero(rows.scores >= _lowest(rows, depth)[rows.topics])
    order = order_by_topic(rows.topics[near], rows.scores[near], rows.doc_ids[near])
    return near if order is None else near[order]


def _lowest(rows: Rows, depth: int) -> npt.NDArray[np.float64]:
    """The score at rank `depth` of each topic, or at the end of its list."""
    scores = rows.scores
    if not is_in_order(rows.topics, scores):
        scores = scores[np.lexsort((-scores, rows.topics))]
    sizes = np.bincount(rows.topics)
    ends = np.cumsum(sizes)
    result: npt.NDArray[np.float64] = scores[ends - sizes + np.minimum(depth, sizes) - 1]
    return result
