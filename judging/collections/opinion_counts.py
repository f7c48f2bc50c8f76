from dataclasses import dataclass

from django.db.models import Count, QuerySet

from judging.models import Opinion, PooledDocument, Study
from judging.models.opinion import GIVEN


@dataclass(frozen=True)
class Totals:
    """Counts of a study; a pair is a topic and a document. Magnitudes count as labels."""

    labels: int  # that are a level
    missing: int
    workers: int  # who gave one
    topics: int
    pairs: int
    judged: int  # pairs with a level
    shared: int  # pairs that two workers or more gave a level, on the main aspect
    groups: int  # of a worker's magnitudes on a topic
    repeats: int  # labels of a pair and an aspect by somebody who had given one


def totals(study: Study) -> Totals:
    opinions = Opinion.objects.filter(study_topic__study=study)
    labels = opinions.given()
    total = labels.count()
    by_pair = labels.filter(aspect=study.main_aspect).values("document")
    return Totals(
        labels=total,
        missing=opinions.exclude(GIVEN).count(),
        workers=workers_of([study]).get(study.pk, 0),
        topics=study.topics.count(),
        pairs=PooledDocument.objects.filter(study_topic__study=study).count(),
        judged=labels.values("document").distinct().count(),
        shared=by_pair.annotate(judges=Count("worker", distinct=True)).filter(judges__gt=1).count(),
        groups=labels.values("study_topic", "worker", "group").distinct().count(),
        repeats=total - labels.values("document", "worker", "aspect").distinct().count(),
    )


def labels_of(studies: list[Study]) -> dict[int, int]:
    return dict(_labels(studies).values_list("study_topic__study").annotate(n=Count("id")))


def workers_of(studies: list[Study]) -> dict[int, int]:
    rows = _labels(studies).values_list("study_topic__study")
    return dict(rows.annotate(n=Count("worker", distinct=True)))


def _labels(studies: list[Study]) -> QuerySet[Opinion]:
    if not studies:  # saves a query whenever studies are listed
        return Opinion.objects.none()
    return Opinion.objects.given().filter(study_topic__study__in=studies)


def by_level(study: Study) -> tuple[list[str], list[tuple[str, list[int]]]]:
    """Aspects, and for each level, the lowest first, how many labels each aspect has of it."""
    rows = _labels([study]).values_list("aspect", "level").annotate(n=Count("id"))
    counts = {(aspect, level): n for aspect, level, n in rows}
    aspects = sorted({aspect for aspect, _ in counts})
    return aspects, [
        (name, [counts.get((aspect, level), 0) for aspect in aspects])
        for level, name in enumerate(study.levels)
    ]
