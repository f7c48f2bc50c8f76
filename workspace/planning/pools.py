"""What a study will judge, read from the database, also of a draft before its plan."""

from typing import Any, NamedTuple

import numpy as np
from django.core.cache import caches
from django.db.models import Count
from numpy.typing import NDArray

from evaluation import pipeline
from judging import completed
from judging.collections import vocabulary
from judging.models import LabelSet, Study, StudyTopic
from judging.studies.configuration import pooling
from judging.studies.drawing import units_needed
from magnitudes.measures.lists import END, UNJUDGED, places_of
from magnitudes.measures.names import parse
from workspace.planning.pilots import JudgedTopic, Pilot
from workspace.planning.simulating import Design, TopicPool

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TopicUnits(NamedTuple):
    """documents: with anchors."""

    query_id: str
    documents: int
    units: int


def topic_units(study: Study) -> list[TopicUnits]:
    """Documents and units of each topic of a study, planned or to be planned, by query id.

    Two queries if units are planned. Pools of a draft without units are made from its runs, and
    their sizes are cached until runs or settings change.
    """
    topics = study.topics.annotate(size=Count("documents")).order_by("topic__query_id")
    sizes = {key: (name, size) for key, name, size in topics.values_list(*TOPIC_FIELDS)}
    units = dict(study.topics.annotate(n=Count("units")).values_list("pk", "n"))
    if any(size for _, size in sizes.values()):
        return [TopicUnits(name, size, units[key]) for key, (name, size) in sizes.items()]
    drafted = _draft_sizes(study)
    return [
        TopicUnits(name, drafted[key], _needed(study, drafted[key]))
        for key, (name, _) in sizes.items()
    ]


TOPIC_FIELDS = "pk", "topic__query_id", "size"


def _needed(study: Study, documents: int) -> int:
    return units_needed(max(documents, 2), study.redundancy, study.unit_size)


def _draft_sizes(study: Study) -> dict[int, int]:
    key = (
        f"pools {study.pk} {study.version} {study.collection.revision} {study.pool_depth} "
        f"{study.pool_by}"
    ).replace(" ", "-")
    sizes: Any = caches["pictures"].get_or_set(
        key, lambda: {topic.pk: len(_draft_pool(study, topic)) for topic in _topics(study)}
    )
    return dict(sizes)


def _topics(study: Study) -> list[StudyTopic]:
    return list(study.topics.select_related("topic").order_by("topic__query_id"))


def _draft_pool(study: Study, topic: StudyTopic) -> Ints:
    """The codes of a topic's documents, ascending; of those that no run names, from -1 down."""
    by = study.pooled_by
    doc_ids = set(topic.pool) or pooling.pool(topic, study.pool_depth, by)
    by_hand = set() if topic.anchors_are_replaceable else {topic.h_k, topic.n_k} - {""}
    return np.sort(_codes_of(topic, sorted(doc_ids | by_hand)))


def _codes_of(topic: StudyTopic, doc_ids: list[str]) -> Ints:
    """The codes of documents that a topic names; of those that no run has, from -1 down."""
    if not doc_ids:
        return np.empty(0, dtype=np.int64)
    code_of = {doc_id: code for code, doc_id in enumerate(vocabulary.read(topic.topic))}
    named = {*topic.pool, topic.h_k, topic.n_k, *doc_ids}
    code_of |= {doc_id: -n for n, doc_id in enumerate(sorted(named - code_of.keys()), 1)}
    return np.array([code_of[doc_id] for doc_id in doc_ids], dtype=np.int64)


def design(study: Study) -> Design:
    runs, _ = completed.runs(study)
    labels = _label_set(study)
    pools = [_topic_pool(study, topic, runs, labels) for topic in _topics(study)]
    highest = max((float(np.nanmax(pool.labels, initial=0)) for pool in pools), default=0.0)
    return Design(pools, study.unit_size, len(study.levels), highest, pipeline.schemes(study))


def _label_set(study: Study) -> LabelSet | None:
    return LabelSet.objects.filter(collection=study.collection_id, name=study.labels).first()


def _topic_pool(
    study: Study, topic: StudyTopic, runs: list[int], label_set: LabelSet | None
) -> TopicPool:
    labelled = completed.labels(topic.topic, label_set)
    planned = completed.pool(topic.pk)
    if len(planned.keys):
        codes = planned.codes
        levels = _levels(codes, labelled)
        h_k, n_k = (int(np.searchsorted(planned.keys, key)) for key in (planned.h_k, planned.n_k))
    else:
        codes = _draft_pool(study, topic)
        levels = _levels(codes, labelled)
        h_k, n_k = _draft_anchors(topic, codes, levels)
    order = np.array([h_k, n_k, *np.delete(np.arange(len(codes)), [h_k, n_k])], dtype=np.int64)
    measure = parse(pipeline.first_measure(study))
    lists = completed.rankings(topic.topic_id, runs, measure.cutoff)
    places = places_of(lists, codes[order])
    places = np.select([places == UNJUDGED, places == END], [len(codes), -1], places)
    return TopicPool(topic.topic.query_id, levels[order], places, measure)


def _levels(codes: Ints, labelled: completed.Labelled) -> Floats:
    level_of = dict(zip(labelled.codes.tolist(), labelled.levels.tolist(), strict=True))
    level_of.pop(-1, None)  # of documents that no run names: which, codes do not tell
    return np.array([level_of.get(code, np.nan) for code in codes.tolist()], dtype=np.float64)


def _draft_anchors(topic: StudyTopic, codes: Ints, levels: Floats) -> tuple[int, int]:
    """The places of both anchors: those named, or the first that labels would allow."""
    if topic.h_k and topic.n_k and not topic.anchors_are_replaceable:
        h_k, n_k = np.searchsorted(codes, _codes_of(topic, [topic.h_k, topic.n_k])).tolist()
        return h_k, n_k
    filled = np.nan_to_num(levels, nan=0.0)
    h_k = int(filled.argmax())
    filled[h_k] = np.inf
    return h_k, int(filled.argmin())


def pilot(study: Study) -> Pilot:
    labels = _label_set(study)
    topics = [_judged(topic, labels) for topic in _topics(study)]
    judged = [topic for topic in topics if len(topic.rows)]
    highest = max((float(np.nanmax(topic.labels, initial=0)) for topic in judged), default=0.0)
    return Pilot(judged, len(study.levels), highest, pipeline.schemes(study))


def _judged(topic: StudyTopic, label_set: LabelSet | None) -> JudgedTopic:
    """Both anchors in the first columns."""
    judgments, pool = completed.judgments(topic.pk), completed.pool(topic.pk)
    levels = _levels(pool.codes, completed.labels(topic.topic, label_set))
    anchors = np.searchsorted(pool.keys, [pool.h_k, pool.n_k])
    order = np.concatenate([anchors, np.delete(np.arange(len(pool.keys)), anchors)])
    place_of = np.empty(len(order), dtype=np.int64)
    place_of[order] = np.arange(len(order))
    rows = place_of[np.searchsorted(pool.keys, judgments.documents)]
    by_role = np.argsort(np.minimum(rows, 2), axis=1, kind="stable")  # H_k, N_k, then as shown
    return JudgedTopic(
        np.take_along_axis(rows, by_role, axis=1),
        np.take_along_axis(judgments.scores, by_role, axis=1),
        levels[order],
    )
