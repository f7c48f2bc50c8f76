"""Two systems compared: topic by topic, and the documents in which their lists differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.details import one_system
from evaluation.details.system_list import Ranking
from evaluation.details.topic_list import values_by_topic
from evaluation.results import topics_of
from judging.models import PooledDocument, Run, Study
from magnitudes.comparison.interval import t_interval
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.measures.names import Measure
from web.text import natural


@dataclass(frozen=True)
class OnTopic:
    """Both values on a topic."""

    query_id: str
    title: str
    one: float
    other: float

    @property
    def difference(self) -> float:
        return self.one - self.other


@dataclass(frozen=True)
class Mean:
    """The mean difference and the ends of its 95% interval, None for few topics or equal ones."""

    difference: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Document:
    """A judged document that the two lists have at different ranks; None: not near the top."""

    query_id: str
    doc_id: str
    gain: float
    one: int | None
    other: int | None


def on_topics(ranking: Ranking, one: str, other: str, titles: Mapping[str, str]) -> list[OnTopic]:
    """Both systems on every topic, in natural order."""
    values = values_by_topic(ranking)
    return [
        OnTopic(query_id, titles.get(query_id, ""), values[query_id][one], values[query_id][other])
        for query_id in sorted(values, key=natural)
    ]


def mean(rows: Sequence[OnTopic]) -> Mean:
    """The mean difference over topics, with Student's t interval."""
    differences = np.array([row.difference for row in rows])
    found, low, high = (float(end) for end in t_interval(differences))
    if len(rows) < LEAST_TOPICS or low == high:
        return Mean(found, None, None)
    return Mean(found, low, high)


def documents(
    study: Study, runs: tuple[Run, Run], measure: Measure, rows: Sequence[OnTopic]
) -> list[Document]:
    """The judged documents whose ranks differ down to the measure's cutoff.

    Topics with the largest difference come first, and within one the highest gains. Gains are those
    that systems are ranked by unless others are asked for.
    """
    topics = [topic for topic in topics_of(study) if topic.documents]
    names = {topic.study_topic.topic_id: topic.study_topic.topic.query_id for topic in topics}
    gains = {
        key: gain
        for topic in topics
        for key, gain in zip(topic.documents, topic.gains, strict=True)
    }
    ranks = [one_system.ranked(run, names, measure) for run in runs]
    pooled = PooledDocument.objects.filter(study_topic__study=study)
    listed = {code for one in ranks for _, code in one}
    moved = [
        Document(names[topic], doc_id, gains[key], *(one.get((topic, code)) for one in ranks))
        for key, topic, code, doc_id in pooled.filter(code__in=listed).values_list(
            "pk", "study_topic__topic", "code", "doc_id"
        )
        if key in gains and ranks[0].get((topic, code)) != ranks[1].get((topic, code))
    ]
    apart = {row.query_id: abs(row.difference) for row in rows}
    return sorted(
        moved, key=lambda row: (-apart.get(row.query_id, 0.0), natural(row.query_id), -row.gain)
    )
