from dataclasses import dataclass

import numpy as np
from django.db.models import Case, F, FloatField, Max, When

from judging.models import Judgment, Label, PooledDocument, Study, StudyTopic
from judging.states import State

Role = PooledDocument.Role


@dataclass(frozen=True)
class Anchor:
    name: str
    doc_id: str
    document: PooledDocument | None
    level: float | None


@dataclass(frozen=True)
class Distance:
    """How much higher H_k was scored than N_k, in n completed units: the median, 5 and 95%.

    A ratio, or a difference of levels; of workers who are not excluded.
    """

    n: int
    low: float
    median: float
    high: float


def topic_of(study: Study, query_id: str) -> StudyTopic | None:
    return study.topics.select_related("topic").filter(topic__query_id=query_id).first()


def anchors(study: Study, topic: StudyTopic) -> list[Anchor]:
    pooled = {
        document.role: document
        for document in topic.documents.exclude(role=Role.OTHER).select_related("document")
    }
    levels = dict(
        Label.objects.filter(
            label_set__collection=study.collection_id,
            label_set__name=study.labels,
            topic=topic.topic_id,
            doc_id__in=[topic.h_k, topic.n_k],
        ).values_list("doc_id", "level")
    )
    return [
        Anchor(name, doc_id, pooled.get(role), levels.get(doc_id))
        for name, role, doc_id in (("H", Role.H_K, topic.h_k), ("N", Role.N_K, topic.n_k))
    ]


def distance(study: Study, topic: StudyTopic) -> Distance | None:
    """None: no unit is completed."""
    scores = {
        role: Max(Case(When(document__role=role, then=F("score")), output_field=FloatField()))
        for role in (Role.H_K, Role.N_K)
    }
    rows = (
        Judgment.objects.filter(
            assignment__study_topic=topic,
            assignment__state=State.COMPLETED,
            assignment__worker__excluded_at=None,
            document__role__in=[Role.H_K, Role.N_K],
        )
        .values("assignment")
        .annotate(**{role.value: score for role, score in scores.items()})
        .values_list(*(role.value for role in scores))
    )
    pairs = np.array(list(rows), dtype=float)
    if not len(pairs):
        return None
    apart = pairs[:, 0] - pairs[:, 1] if study.is_graded else pairs[:, 0] / pairs[:, 1]
    low, median, high = np.quantile(apart, [0.05, 0.5, 0.95]).tolist()
    return Distance(len(pairs), low, median, high)
