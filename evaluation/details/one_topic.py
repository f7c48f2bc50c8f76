"""One topic: its documents by gain with the scores behind them, and the systems on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from evaluation.details import scores
from evaluation.details.system_list import Ranking
from evaluation.details.topic_list import values_by_topic
from judging.models import Label, PooledDocument, Study, StudyTopic
from magnitudes.comparison.ranks import competition_ranks

ROLES = {PooledDocument.Role.H_K: "H", PooledDocument.Role.N_K: "N"}


@dataclass(frozen=True)
class Judged:
    """A document of the pool; gain: None where it has none; label: its level, if it has one."""

    doc_id: str
    title: str
    anchor: str  # H or N; empty: it is none
    gain: float | None
    scores: list[float]  # normalised, or levels, ascending
    label: float | None


@dataclass(frozen=True)
class OfSystem:
    """A system's value on the topic, and its place there."""

    place: int
    run: str
    value: float


def labels(topic: StudyTopic, label_set: str) -> dict[str, float]:
    """The levels of documents in a label set of the study's collection."""
    of_set = {"label_set__collection": topic.study.collection_id, "label_set__name": label_set}
    labelled = Label.objects.filter(**of_set, topic=topic.topic_id)
    return dict(labelled.values_list("doc_id", "level"))


def documents(topic: StudyTopic, label_set: str) -> list[Judged]:
    """The pool of a topic, the highest gain first; documents without one by their names at the end.

    Gains are those that systems are ranked by unless others are asked for.
    """
    published = scores.evaluated(topic)
    given = scores.by_document(published) if published else {}
    gains = dict(zip(published.documents, published.gains, strict=True)) if published else {}
    levels = labels(topic, label_set)
    pooled = topic.documents.order_by("doc_id")
    rows = [
        Judged(
            *(doc_id, title or "", ROLES.get(PooledDocument.Role(role), "")),
            *(_known(gains.get(key)), given.get(key, []), levels.get(doc_id)),
        )
        for key, doc_id, role, title in pooled.values_list(
            "pk", "doc_id", "role", "document__title"
        )
    ]
    return sorted(rows, key=lambda row: -np.inf if row.gain is None else row.gain, reverse=True)


def _known(gain: float | None) -> float | None:
    return None if gain is None or isnan(gain) else gain


def systems(ranking: Ranking, query_id: str) -> list[OfSystem]:
    """The systems on a topic, best first; of equal ones the one with the better mean."""
    values = values_by_topic(ranking).get(query_id, {})
    places = competition_ranks(np.array([*values.values()])).tolist() if values else []
    rows = [
        OfSystem(place, run, value)
        for place, (run, value) in zip(places, values.items(), strict=True)
    ]
    return sorted(rows, key=lambda row: row.place)


def beside(rows: Sequence[Judged], doc_id: str) -> tuple[int, Judged | None, Judged | None]:
    """Where a document stands in a list, from 0, and the documents above and below it."""
    place = next(n for n, row in enumerate(rows) if row.doc_id == doc_id)
    above = rows[place - 1] if place else None
    return place, above, rows[place + 1] if place + 1 < len(rows) else None


def place_of(own: Judged, rows: Sequence[Judged]) -> int:
    """A document's place by gain, from 1; equal gains share the smallest."""
    gain = own.gain or 0.0
    return 1 + sum(row.gain is not None and row.gain > gain for row in rows)


def topic_of(study: Study, query_id: str) -> StudyTopic | None:
    """The topic of a study with this number."""
    topics = study.topics.select_related("topic", "study")
    return topics.filter(topic__query_id=query_id).first()
