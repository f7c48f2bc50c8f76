"""From completed judgments to rankings: where the database meets the mathematics.

A topic's scores are normalised by geometric averaging (but for levels, a scale that all workers
share), aggregated by their median, and used as gains; every run is measured on every topic; the
mean over topics ranks the systems. A topic whose data changed is computed whole, as its geometric
mean moves with every unit. What `recompute` gives and what grew unit by unit are therefore the
same, to the last bit.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from numpy.typing import NDArray

from evaluation import VERSION
from evaluation.models import Evaluation, Ranking, TopicEvaluation
from evaluation.ranking import columns, of_topics, postgres_array, rank
from evaluation.waiting import stale_studies
from judging import completed
from judging.models import Study, StudyTopic
from judging.models.study import DEFAULT_CUTOFF
from judging.studies.analysis_plan import AGGREGATION as AGGREGATION
from judging.studies.analysis_plan import MEASURE_NAMES, interim
from judging.studies.analysis_plan import NORMALISATION as NORMALISATION
from judging.studies.analysis_plan import measures as measures
from judging.studies.analysis_plan import schemes as schemes
from magnitudes.measures.lists import Lists, Values
from magnitudes.measures.names import Measure, parse
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.normalisation import Normalised, normalise, normalise_groups

log = logging.getLogger(__name__)
Floats = NDArray[np.float64]
MEASURES = tuple(f"{name}@{DEFAULT_CUTOFF}" for name in MEASURE_NAMES)
_LOCK = 0x6D61676E  # the first key of the advisory locks of this module
TOPICS_PER_STATEMENT = 100  # that a statement stores


@dataclass(frozen=True)
class Scaled:
    """The gains of one topic, and the normalised scores they come from.

    normalised: (units, unit size); gamma_u: (units,); documents, gains, counts: (judged,) with
    documents by key, ascending.
    """

    normalised: Floats
    gamma: float
    gamma_u: Floats
    documents: NDArray[np.int64]
    gains: Floats
    counts: NDArray[np.int64]


def first_measure(study: Study) -> str:
    """By what systems are ranked unless another measure is asked for, or usual elsewhere."""
    return next(iter(measures(study)), MEASURES[0])


def scale(
    done: completed.Completed, pool: completed.Pool, normalisation: str, aggregation: str
) -> Scaled:
    """Normalise the completed units of a topic and aggregate them by document.

    With `none` scores stay as they are, levels as well, of which the lowest is 0.
    """
    places, anchors = np.searchsorted(pool.keys, done.documents), (pool.h_k, pool.n_k)
    moved = normalised(done.scores, done.documents, anchors, done.groups, normalisation)
    whole = aggregate(moved.values.ravel(), places.ravel(), len(pool.keys), aggregation)
    judged = np.flatnonzero(whole.counts)
    return Scaled(
        moved.values,
        moved.gamma,
        moved.gamma_u,
        pool.keys[judged],
        whole.values[judged],
        whole.counts[judged],
    )


def normalised(
    scores: Floats,
    documents: NDArray[np.int64],
    anchors: tuple[int, int],
    groups: NDArray[np.int64] | None,
    normalisation: str,
) -> Normalised:
    """The scores of units, (units, unit size), by a scheme.

    documents: of each score. anchors: H_k and N_k among them. groups: of rows that were judged
    elsewhere, which of them are on one scale.
    """
    if normalisation == "none":
        return Normalised(scores, 1.0 if len(scores) else np.nan, np.ones(len(scores)))
    if groups is not None:
        moved = normalise_groups(scores, groups, normalisation)
        return moved._replace(values=moved.values.reshape(scores.shape))
    places = ((documents == one).argmax(axis=1) if documents.size else None for one in anchors)
    return normalise(scores, normalisation, *places)


def measure_runs(
    pool: completed.Pool,
    documents: NDArray[np.int64],
    gains: Floats,
    codes: NDArray[np.int32],
    measure: Measure,
    words: Floats | None = None,
) -> Values:
    """Measure the ranked lists of one topic.

    documents, gains: (judged,); codes: (runs, ranks), in the measure's order, -1 where a list is
    shorter; words: by code and NaN at the end, the lengths that some measures need.
    """
    of_judged = pool.codes[np.searchsorted(pool.keys, documents)]
    places = (np.flatnonzero(documents == key) for key in (pool.h_k, pool.n_k))
    h_k, n_k = (int(place[0]) if place.size else -1 for place in places)
    return Lists.of_topic(codes, of_judged, gains, h_k, n_k, words).measure(measure)


def bring_up_to_date() -> int:
    """Evaluate every study whose data or runs have changed; how many were.

    One that cannot be evaluated is logged, tried again at the next tick, and holds up no other.
    """
    done = 0
    for study in stale_studies().only("slug").distinct().order_by("pk"):
        try:
            done += evaluate(study) is not None
        except Exception:
            log.exception("study %s could not be evaluated", study)
    return done


@transaction.atomic
def evaluate(study: Study, *, everything: bool = False) -> Evaluation | None:
    """Compute what has changed in a study, and publish it in one transaction.

    One evaluation of a study at a time: while another is at work this returns None and leaves
    what it may have missed to the next tick. With `everything` it waits, and computes all anew.
    """
    if not _locked(study, wait=everything):
        return None
    study = Study.objects.select_related("collection").get(pk=study.pk)
    if study.is_imported and not _at_rest(study, wait=everything):
        return None
    runs, tags = completed.runs(study)
    header, is_new = Evaluation.objects.get_or_create(
        study=study, defaults=_header(study, runs, tags) | {"number": 0}
    )
    # Runs may be newer than the revision, which was read before them: the next tick sees to it.
    everything |= is_new or (header.collection_revision, header.code_version, header.runs) != (
        *(study.collection.revision, VERSION, runs),
    )
    for name, value in _header(study, runs, tags).items():
        setattr(header, name, value)
    header.study = study  # it would be read again
    topics = study.topics.annotate(published=F("topicevaluation__revision"))
    stale = [
        topic
        for topic in topics.select_related("topic").only("study", "topic__query_id", "revision")
        if everything or topic.published != topic.revision
    ]
    TopicEvaluation.objects.filter(study_topic__in=stale).only("pk").delete()
    changed: dict[str, dict[str, Values]] = {name: {} for name in measures(study)}
    rows = []
    for topic in stale:
        row, values = _evaluate_topic(header, topic, study)
        rows += [row] if row else []
        for measure, of_topic in values.items():
            changed[measure][topic.topic.query_id] = of_topic
    TopicEvaluation.objects.bulk_create(rows, batch_size=TOPICS_PER_STATEMENT)
    header.number += 1
    _rank(header, changed)
    # Last, as what is completed from now on is evaluated by the next tick.
    header.interim = interim(study)
    header.save()
    return header


def _locked(study: Study, *, wait: bool) -> bool:
    with connection.cursor() as cursor:
        name = "pg_advisory_xact_lock" if wait else "pg_try_advisory_xact_lock"
        cursor.execute(f"SELECT {name}(%s, %s)", [_LOCK, study.pk])
        return wait or bool(cursor.fetchone()[0])


def _at_rest(study: Study, *, wait: bool) -> bool:
    """Whether no import is changing the pool of a study; none will then, until this has ended."""
    return bool(Study.objects.select_for_update(skip_locked=not wait).filter(pk=study.pk))


def _header(study: Study, runs: list[int], tags: list[str]) -> dict[str, object]:
    normalisation, aggregation = schemes(study)
    return {
        "normalisation": normalisation,
        "aggregation": aggregation,
        "collection_revision": study.collection.revision,
        "code_version": VERSION,
        "runs": runs,
        "tags": tags,
        "topics": 0,
        "units": 0,
        "judgments": 0,
        "computed_at": timezone.now(),
    }


def _evaluate_topic(
    header: Evaluation, topic: StudyTopic, study: Study
) -> tuple[TopicEvaluation | None, dict[str, Values]]:
    """Compute one topic whole: its scores, which are to be stored, and its values by measure."""
    done = completed.judgments(topic.pk)
    if not done.assignments.size and not done.revision:
        return None, {}
    pool = completed.pool(topic.pk)
    scaled = scale(done, pool, *schemes(study))
    row = TopicEvaluation(
        study_topic=topic,
        evaluation=header,
        revision=done.revision,
        gamma=None if np.isnan(scaled.gamma) else scaled.gamma,
        assignments=postgres_array(done.assignments),
        gamma_u=postgres_array(scaled.gamma_u),
        normalised=postgres_array(scaled.normalised.ravel()),
        documents=postgres_array(scaled.documents),
        gains=postgres_array(scaled.gains),
        counts=postgres_array(scaled.counts),
    )
    by = [parse(name) for name in measures(study)]
    if not done.assignments.size or not by:
        return row, {}
    codes = completed.rankings(topic.topic_id, header.runs, _deepest(by))
    return row, {
        str(measure): measure_runs(pool, scaled.documents, scaled.gains, codes, measure)
        for measure in by
    }


def _deepest(measures: Iterable[Measure]) -> int | None:
    """The depth to which runs must be read; None: to their end."""
    cutoffs = [measure.cutoff for measure in measures]
    return None if None in cutoffs else max(cutoff or 0 for cutoff in cutoffs)


def _rank(header: Evaluation, changed: dict[str, dict[str, Values]]) -> None:
    """Rank the systems by the means over all topics with a completed unit.

    `changed`: the values of topics that were computed now, by measure and query id; those of all
    others are taken from what was published before.
    """
    done = header.topic_set.order_by("study_topic__topic__query_id").values_list(
        "study_topic__topic__query_id", "units", "judgments"
    )
    query_ids = [query_id for query_id, units, _ in done if units]
    header.topics = len(query_ids)
    header.units = 0 if header.study.is_imported else sum(units for _, units, _ in done)
    header.judgments = sum(judgments for _, _, judgments in done)
    before = {ranking.measure: of_topics(ranking) for ranking in header.rankings.all()}
    header.rankings.all().delete()
    if not query_ids:
        return
    for measure in measures(header.study):
        known = before.get(measure, {}) | changed[measure]
        ranked = rank(query_ids, [known[query_id] for query_id in query_ids])
        Ranking.objects.create(evaluation=header, measure=measure, **columns(ranked))
