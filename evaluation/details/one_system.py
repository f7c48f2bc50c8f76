"""One system: its value on each topic beside those of the others, and what of it is unjudged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.details.system_list import Ranking
from evaluation.details.topic_list import values_by_topic
from evaluation.results import topics_of
from judging import completed
from judging.collections import vocabulary
from judging.models import PooledDocument, Run, Study, Vocabulary
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.measures.names import Measure
from web.text import natural

DEPTH = 10  # of a measure that looks at whole lists


@dataclass(frozen=True)
class OnTopic:
    """A system's value on a topic, and where it lies among those of all systems."""

    query_id: str
    title: str
    value: float
    place: int
    systems: int
    median: float
    best: float
    best_run: str

    @property
    def below(self) -> float:
        return self.best - self.value


@dataclass(frozen=True)
class Unjudged:
    """A document near the top of a system's list that no completed unit has."""

    query_id: str
    rank: int
    code: int
    topic: int  # its key
    is_pooled: bool


def on_topics(ranking: Ranking, run: str, titles: Mapping[str, str]) -> list[OnTopic]:
    """A run's value on every topic, topics in natural order."""
    rows, values = [], values_by_topic(ranking)
    for query_id in sorted(values, key=natural):
        runs, of_topic = list(values[query_id]), np.array([*values[query_id].values()])
        rows.append(
            OnTopic(
                *(query_id, titles.get(query_id, ""), values[query_id][run]),
                place=int(competition_ranks(of_topic)[runs.index(run)]),
                systems=len(runs),
                median=float(np.median(of_topic)),
                best=float(of_topic.max()),
                best_run=runs[int(of_topic.argmax())],
            )
        )
    return rows


def depth_of(measure: Measure) -> int:
    """How far down a list is looked at for unjudged documents."""
    return measure.cutoff or DEPTH


def ranked(run: Run, topics: Iterable[int], measure: Measure) -> dict[tuple[int, int], int]:
    """The ranks of documents, each a topic's key and a code, as deep as the measure reads."""
    depth = depth_of(measure)
    lists = completed.lists_of(run.pk, list(topics), depth, by_rank=measure.by_rank)
    return {
        (topic, code): rank
        for topic, codes in lists.items()
        for rank, code in enumerate(codes.tolist(), 1)
    }


def unjudged(study: Study, run: Run, measure: Measure) -> list[Unjudged]:
    """The documents down to the measure's cutoff without a gain, topics in natural order."""
    topics = topics_of(study)
    judged = {key for topic in topics for key in topic.documents}
    rows = PooledDocument.objects.filter(study_topic__study=study)
    pool: dict[int, dict[int, bool]] = {}
    for key, topic, code in rows.values_list("pk", "study_topic__topic", "code"):
        pool.setdefault(topic, {})[code] = key in judged
    names = {t.study_topic.topic_id: t.study_topic.topic.query_id for t in topics if t.documents}
    found = [
        Unjudged(names[topic], rank, code, topic, code in pool.get(topic, {}))
        for (topic, code), rank in ranked(run, names, measure).items()
        if not pool.get(topic, {}).get(code)
    ]
    return sorted(found, key=lambda row: (natural(row.query_id), row.rank))


def doc_ids(pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """The ids of some documents, each a topic's key and a code."""
    packed = Vocabulary.objects.filter(topic__in={topic for topic, _ in pairs})
    codes: dict[int, set[int]] = {}
    for topic, code in pairs:
        codes.setdefault(topic, set()).add(code)
    return {
        (topic, code): doc_id
        for topic, ids in packed.values_list("topic", "doc_ids")
        for code, doc_id in zip(
            sorted(codes[topic]), vocabulary.doc_ids_of(ids, codes[topic]), strict=True
        )
    }
