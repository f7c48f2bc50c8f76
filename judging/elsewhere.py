"""What a study that was judged elsewhere holds, as its pages tell it."""

from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet

from judging.models import Opinion, PooledDocument, Study


@dataclass(frozen=True)
class Totals:
    """How much there is; a pair is a topic and a document."""

    labels: int  # that are a level
    missing: int
    workers: int  # who gave one
    topics: int
    pairs: int
    pairs_with_two: int  # labels
    repeats: int  # labels of a pair and an aspect by somebody who had given one


TOTALS = """
    SELECT coalesce(sum(n), 0)::bigint, count(*) FILTER (WHERE n > 1),
           coalesce(sum(again), 0)::bigint
    FROM (
        SELECT count(o.level) AS n,
               count(o.level) - count(DISTINCT (o.worker_id, o.aspect))
                   FILTER (WHERE o.level IS NOT NULL) AS again
        FROM judging_opinion o JOIN judging_studytopic s ON s.id = o.study_topic_id
        WHERE s.study_id = %s GROUP BY o.document_id
    ) pairs
"""


def totals(study: Study) -> Totals:
    """How much a study holds."""
    with connection.cursor() as cursor:
        cursor.execute(TOTALS, [study.pk])
        labels, pairs_with_two, repeats = cursor.fetchone()
    return Totals(
        labels,
        Opinion.objects.filter(study_topic__study=study, level=None).count(),
        workers_of([study]).get(study.pk, 0),
        study.topics.count(),
        PooledDocument.objects.filter(study_topic__study=study).count(),
        pairs_with_two,
        repeats,
    )


def labels_of(studies: list[Study]) -> dict[int, int]:
    """How many labels each study holds, by its key."""
    return dict(_labels(studies).values_list("study_topic__study").annotate(n=Count("id")))


def workers_of(studies: list[Study]) -> dict[int, int]:
    """How many workers gave a label to each study, by its key."""
    rows = _labels(studies).values_list("study_topic__study")
    return dict(rows.annotate(n=Count("worker", distinct=True)))


def _labels(studies: list[Study]) -> QuerySet[Opinion]:
    if not studies:  # asked whenever studies are listed
        return Opinion.objects.none()
    return Opinion.objects.filter(study_topic__study__in=studies, level__isnull=False)


def by_level(study: Study) -> tuple[list[str], list[tuple[str, list[int]]]]:
    """Aspects, and for each level, the lowest first, how many labels each aspect has of it."""
    rows = _labels([study]).values_list("aspect", "level").annotate(n=Count("id"))
    counts = {(aspect, level): n for aspect, level, n in rows}
    aspects = sorted({aspect for aspect, _ in counts})
    return aspects, [
        (name, [counts.get((aspect, level), 0) for aspect in aspects])
        for level, name in enumerate(study.levels)
    ]


def by_topic(study: Study) -> QuerySet[Any, Any]:
    """Of each topic: pairs, labels, those that are no level, workers."""
    return (
        Opinion.objects.filter(study_topic__study=study)
        .values(query_id=F("study_topic__topic__query_id"), title=F("study_topic__topic__title"))
        .annotate(
            pairs=Count("document", distinct=True),
            labels=Count("level"),
            missing=Count("id", filter=Q(level=None)),
            workers=Count("worker", distinct=True),
        )
        .order_by("query_id")
    )
