"""The scores behind gains, as they were given and on the one scale of their topic."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import F

from evaluation.models import TopicEvaluation
from judging.models import Assignment, Judgment, Opinion, PooledDocument, StudyTopic
from judging.states import State


@dataclass(frozen=True)
class Score:
    """A judgment of a completed unit; its normalised score is None until it is evaluated."""

    judgment: Judgment
    normalised: float | None


def evaluated(topic: StudyTopic) -> TopicEvaluation | None:
    """What is published of a topic, if anything is."""
    return TopicEvaluation.objects.filter(study_topic=topic).first()


def of_document(document: PooledDocument) -> list[Score]:
    """Every score of workers who are not excluded, the highest after normalisation first."""
    judgments = (
        Judgment.objects.filter(
            document=document,
            assignment__state=State.COMPLETED,
            assignment__worker__excluded_at=None,
        )
        .select_related("assignment__worker", "assignment__unit")
        .order_by("assignment__finished_at", "assignment")
    )
    normalised = by_page(evaluated(document.study_topic))
    scores = [
        Score(judgment, normalised.get((judgment.assignment_id, judgment.position)))
        for judgment in judgments
    ]
    return sorted(scores, key=lambda score: -(score.normalised or 0))


def given_elsewhere(document: PooledDocument) -> Sequence[tuple[Opinion, str | float | None]]:
    """Every opinion from elsewhere, the highest first, with its level or what it became."""
    given = Opinion.objects.filter(document=document).select_related("worker")
    study = document.study_topic.study
    if study.is_graded:
        return [
            (opinion, "" if opinion.level is None else study.levels[opinion.level])
            for opinion in given.order_by(F("level").desc(nulls_last=True), "id")
        ]
    normalised = by_page(evaluated(document.study_topic))
    scores = [(opinion, normalised.get((opinion.pk, 1))) for opinion in given.order_by("id")]
    return sorted(scores, key=lambda score: -(score[1] or 0))


def text_of(document: PooledDocument) -> str | None:
    return document.document.html if document.document else None


def by_page(topic: TopicEvaluation | None) -> dict[tuple[int, int], float]:
    """The topic's normalised scores, by assignment and page; an opinion has page 1 alone."""
    if topic is None or not topic.assignments:
        return {}
    table = np.array(topic.normalised).reshape(len(topic.assignments), -1).tolist()
    return {
        (key, page): value
        for key, values in zip(topic.assignments, table, strict=True)
        for page, value in enumerate(values, start=1)
    }


def by_document(topic: TopicEvaluation) -> dict[int, list[float]]:
    """The topic's normalised scores, or levels, by the key of the document, ascending."""
    scores: dict[int, list[float]] = {}
    normalised = by_page(topic)
    for unit, documents in _documents(topic):
        for page, document in enumerate(documents, start=1):
            if (unit, page) in normalised:
                scores.setdefault(document, []).append(normalised[unit, page])
    return {document: sorted(values) for document, values in scores.items()}


def _documents(topic: TopicEvaluation) -> Iterable[tuple[int, list[int]]]:
    """The documents of each unit by page, or that of each opinion."""
    if topic.study_topic.study.is_imported:
        rows = Opinion.objects.filter(study_topic=topic.study_topic_id)
        return ((key, [document]) for key, document in rows.values_list("pk", "document_id"))
    units = Assignment.objects.filter(study_topic=topic.study_topic_id, state=State.COMPLETED)
    return units.values_list("pk", "order")
