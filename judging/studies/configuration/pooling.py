"""Pools: the union of the runs' first documents, and what a pool leaves unjudged in each run."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judging.collections import vocabulary
from judging.models import RankedList, Study, StudyTopic, Vocabulary
from judging.models.study import DEFAULT_CUTOFF
from judging.studies.drawing import units_needed

CUTOFFS = (5, 10, 20, 100)
NEVER = np.iinfo(np.int32).max  # the depth of a document that no run brings into the pool
DEFAULT_BY = "rank"


class RunList(NamedTuple):
    """A run's list for a topic: codes of its documents as evaluated, and their rank fields."""

    topic: int
    run: str
    codes: NDArray[np.int32]
    ranks: NDArray[np.int32]

    def depths(self, by: str) -> NDArray[np.int32]:
        """The depth at which each document enters a pool of this list alone."""
        if by == "rank":
            return self.ranks
        return np.arange(1, len(self.codes) + 1, dtype=np.int32)


def entry_depths(lists: Iterable[RunList], by: str, documents: int) -> NDArray[np.int32]:
    """The smallest depth of a pool that has each document of a topic, by its code.

    by: `rank` or `order`; documents: how many the topic's vocabulary has.

    >>> one = RunList(1, "a", np.array([2, 0]), np.array([0, 1]))
    >>> entry_depths([one], "order", 3).tolist() == [2, NEVER, 1]
    True
    """
    depths = np.full(documents, NEVER, dtype=np.int32)
    for run_list in lists:
        np.minimum.at(depths, run_list.codes, run_list.depths(by))
    return depths


def pool(topic: StudyTopic, depth: int, by: str) -> set[str]:
    ids = vocabulary.read(topic.topic)
    depths = entry_depths(_lists([topic.topic_id]), by, len(ids))
    return {ids[code] for code in np.flatnonzero(depths <= depth)}


def pooled_to(topic: StudyTopic, pool: Collection[str], by: str) -> int:
    """The largest rank, at most the usual cutoff, to which a pool covers every run of its topic.

    Ranks are those by which runs are pooled, which may differ from evaluation order where scores
    are tied. Of a shorter list, all of it.
    """
    ids = vocabulary.read(topic.topic)
    is_pooled = np.array([doc_id in pool for doc_id in ids], dtype=bool)
    missing = [
        each.depths(by or DEFAULT_BY)[~is_pooled[each.codes]] for each in _lists([topic.topic_id])
    ]
    first = min((int(ranks.min()) for ranks in missing if len(ranks)), default=DEFAULT_CUTOFF + 1)
    return max(0, min(first - 1, DEFAULT_CUTOFF))


def runs_that_pool(topic: StudyTopic, depth: int, by: str) -> Counter[str]:
    ids, counts = vocabulary.read(topic.topic), Counter[str]()
    for run_list in _lists([topic.topic_id]):
        first = run_list.codes[run_list.depths(by or DEFAULT_BY) <= depth]
        counts.update(ids[code] for code in first)
    return counts


@dataclass(frozen=True)
class Unjudged:
    """documents: of all pools, anchors and explicit lists included; units: that these need.

    share: (runs, cutoffs), averaged over a run's topics the share of its first k documents that no
    worker would judge.
    """

    depth: int
    documents: int
    units: int
    share: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean over runs, by cutoff; NaN without runs."""
        return self.share.mean(axis=0) if len(self.share) else np.full(len(CUTOFFS), np.nan)


@dataclass(frozen=True)
class PoolDepths:
    runs: Sequence[str]
    cutoffs: Sequence[int]
    unjudged: list[Unjudged]


def pool_depths(study: Study, depths: Sequence[int], by: str = "") -> PoolDepths:
    """As many queries for many topics as for one."""
    by = by or study.pooled_by
    topics = {topic.topic_id: topic for topic in study.topics.all()}
    of_topic: dict[int, list[RunList]] = {key: [] for key in topics}
    for run_list in _lists(topics):
        of_topic[run_list.topic].append(run_list)
    packed = Vocabulary.objects.filter(topic__in=topics).values_list("pk", "doc_ids")
    ids = {key: vocabulary.unpack(doc_ids) for key, doc_ids in packed}
    pools = [
        _TopicPool(topic, ids.get(key, []), of_topic[key], by) for key, topic in topics.items()
    ]
    runs = sorted({each.run for lists in of_topic.values() for each in lists}, key=str.encode)
    unjudged = []
    for depth, share in zip(depths, _shares(pools, runs, np.asarray(depths)), strict=True):
        sizes = [each.size(depth) for each in pools]
        needs = (units_needed(n, study.redundancy, study.unit_size) for n in sizes if n > 2)
        unjudged.append(Unjudged(depth, sum(sizes), sum(needs), share))
    return PoolDepths(runs, CUTOFFS, unjudged)


def _lists(topics: Iterable[int]) -> list[RunList]:
    rows = RankedList.objects.filter(topic__in=topics).values_list(
        "topic_id", "run__tag", "codes", "ranks"
    )
    return [
        RunList(topic, run, vocabulary.codes(codes), vocabulary.ranks(ranks))
        for topic, run, codes, ranks in rows
    ]


class _TopicPool:
    """extra: documents of the pool that the vocabulary does not have, and so no run."""

    def __init__(self, topic: StudyTopic, ids: list[str], lists: list[RunList], by: str) -> None:
        self.lists = lists
        self.depths = entry_depths(lists, by, len(ids))
        chosen = set(topic.pool)
        if chosen:
            self.depths[:] = NEVER
        always = chosen | ({topic.h_k, topic.n_k} - {""})
        codes = [code for code, doc_id in enumerate(ids) if doc_id in always] if always else []
        self.depths[codes] = np.iinfo(np.int32).min
        self.extra = len(always) - len(codes)

    def size(self, depth: int) -> int:
        return int((self.depths <= depth).sum()) + self.extra

    def shares(self, depths: NDArray[np.int_]) -> NDArray[np.float64]:
        """(depths, lists, cutoffs): the share of a list's first documents outside the pool."""
        sizes = np.array([len(each.codes) for each in self.lists])
        first = np.full((len(sizes), max(CUTOFFS)), np.iinfo(np.int32).min, dtype=np.int32)
        for row, run_list in zip(first, self.lists, strict=True):
            codes = run_list.codes[: len(row)]
            row[: len(codes)] = self.depths[codes]
        outside = (first > depths[:, None, None]).cumsum(axis=2)
        counted = np.minimum(sizes[:, None], CUTOFFS)
        return outside[:, :, np.array(CUTOFFS) - 1] / counted


def _shares(
    pools: Iterable[_TopicPool], runs: Sequence[str], depths: NDArray[np.int_]
) -> NDArray[np.float64]:
    """(depths, runs, cutoffs), averaged over the topics of a run."""
    place = {run: number for number, run in enumerate(runs)}
    sums, counts = np.zeros((len(depths), len(runs), len(CUTOFFS))), np.zeros(len(runs))
    for each in pools:
        rows = [place[run_list.run] for run_list in each.lists]
        sums[:, rows] += each.shares(depths)
        counts[rows] += 1
    return sums / counts[:, None]
