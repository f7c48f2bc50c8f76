"""Other studies of the same collection: what the documents they share are worth by each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.models import Evaluation, TopicEvaluation
from judging.models import PooledDocument, Study
from judging.models.study import StudyQuerySet
from judging.models.team import seen_by_team_of


@dataclass(frozen=True, eq=False)
class OtherStudy:
    """An evaluated study: of each topic by query id, codes of documents and their gains.

    Codes are places in the topic's vocabulary, which all studies of a collection have in common.
    """

    key: int
    slug: str
    title: str
    scale: str
    mark: str
    gains: Mapping[str, tuple[NDArray[np.int64], NDArray[np.float64]]]


def read(study: Study) -> list[OtherStudy]:
    """The other studies of the collection that are evaluated, by name.

    Those that everybody in this one's team may see; no model's runs, which stand beside the study
    that they are about, nor that one.
    """
    return [_one(header.study) for header in _evaluations(study).select_related("study")]


def versions(study: Study) -> list[tuple[int, int]]:
    """Which other studies there are, and the number of the evaluation of each."""
    return list(_evaluations(study).values_list("study_id", "number"))


def seen(study: Study) -> StudyQuerySet:
    """The other studies of the collection that everybody in this one's team may see now."""
    others = seen_by_team_of(study).without_rehearsals().exclude(pk=study.pk)
    return others.filter(collection=study.collection_id)


def about(study: Study) -> Study | None:
    """The study of people that a model's run is about, if all who see the run may see it."""
    return seen(study).filter(pk=study.about_id).first() if study.about_id else None


def _evaluations(study: Study) -> Any:
    others = seen(study).exclude(crowd=Study.Crowd.MODEL).exclude(model_runs=study)
    return Evaluation.objects.filter(study__in=others).order_by("study__slug")


def _one(study: Study) -> OtherStudy:
    pooled = PooledDocument.objects.filter(study_topic__study=study)
    code_of = dict(pooled.values_list("id", "code"))
    topics = TopicEvaluation.objects.filter(evaluation__study=study).values_list(
        "study_topic__topic__query_id", "documents", "gains"
    )
    return OtherStudy(
        study.pk,
        study.slug,
        study.title,
        study.scale,
        study.mark,
        {
            query_id: (np.array([code_of[key] for key in keys], dtype=np.int64), np.array(gains))
            for query_id, keys, gains in topics
            if keys
        },
    )
