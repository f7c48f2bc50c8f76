"""From completed judgments to rankings: where the database meets the mathematics.

A topic's scores are normalised by geometric averaging (but for levels, a scale that all workers
share), aggregated by their median, and used as gains; every run is measured on every topic; the
mean over topics ranks the systems. A topic whose data changed is computed whole, as its geometric
mean moves with every unit. What `recompute` gives and what grew unit by unit are therefore the
same, to the last bit.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from numpy.typing import NDArray

from evaluation import VERSION, arrays
from evaluation.comparison.interval import t_interval
from evaluation.comparison.ranks import competition_ranks
from evaluation.measures.names import Measure, parse
from evaluation.measures.relevance import between
from evaluation.models import Evaluation, Ranking, TopicEvaluation, TopicScores
from evaluation.scaling.aggregation import aggregate
from evaluation.scaling.normalisation import Normalised, normalise
from judging import completed
from judging.models import Study, StudyTopic

log = logging.getLogger(__name__)
Floats = NDArray[np.float64]
NORMALISATION, AGGREGATION = "geometric", "median"
# The first is the one that a study's systems are ranked by, unless another is asked for.
MEASURES = ("nDCG(dcg='jk')@10", "ERR@10")
_LOCK = 0x6D61676E  # the first key of the advisory locks of this module


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


class Values(NamedTuple):
    """One measure on one topic, by run: its value, and the share judged (NaN: no list)."""

    values: Floats
    judged: Floats


def schemes(study: Study) -> tuple[str, str]:
    """How the scores of a study are normalised and aggregated, unless another way is asked for."""
    return "none" if study.is_graded else NORMALISATION, AGGREGATION


def scale(
    done: completed.Completed, pool: completed.Pool, normalisation: str, aggregation: str
) -> Scaled:
    """Normalise the completed units of a topic and aggregate them by document.

    With `none` scores stay as they are, levels as well, of which the lowest is 0.
    """
    places = np.searchsorted(pool.keys, done.documents)
    moved = _unmoved(done.scores) if normalisation == "none" else _moved(done, pool, normalisation)
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


def _unmoved(scores: Floats) -> Normalised:
    return Normalised(scores, 1.0 if len(scores) else np.nan, np.ones(len(scores)))


def _moved(done: completed.Completed, pool: completed.Pool, normalisation: str) -> Normalised:
    anchors = [
        (done.documents == key).argmax(axis=1) if done.documents.size else None
        for key in (pool.h_k, pool.n_k)
    ]
    return normalise(done.scores, normalisation, *anchors)


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
    codes = codes[:, : measure.cutoff]
    place_of = np.full(max(codes.max(initial=-1), pool.codes.max()) + 2, -1)
    of_judged = pool.codes[np.searchsorted(pool.keys, documents)]
    place_of[of_judged] = np.arange(len(gains))
    places = place_of[codes]  # code -1 reads the last entry, which no document has
    found = np.append(gains, np.nan)[places]  # and so does place -1, unjudged
    listed = codes >= 0
    per_topic = _per_topic(pool, documents, gains)
    ranked = measure.filled(found, listed, **per_topic)
    read = {} if words is None else {"words": words[codes], "judged_words": words[of_judged]}
    values = measure.evaluate(ranked, gains, **per_topic, places=places, **read)
    lengths = listed.sum(axis=1)
    values = np.where(lengths, values, 0.0)  # also where a measure of an empty list is another
    with np.errstate(invalid="ignore"):
        return Values(values, np.where(lengths, (~np.isnan(found)).sum(axis=1) / lengths, np.nan))


def _per_topic(
    pool: completed.Pool, documents: NDArray[np.int64], gains: Floats
) -> dict[str, float]:
    """The numbers of a topic that measures may need; every unit has both anchors.

    Where N_k has the lowest level, 0, there is no number between the anchors by ratio.
    """
    h_k, n_k = gains[documents == pool.h_k], gains[documents == pool.n_k]
    if not (h_k.size and n_k.size):
        return {"n_judged": len(gains)}
    ratio = {"anchors": float(between(h_k[0], n_k[0]))} if n_k[0] > 0 else {}
    return {
        "n_judged": len(gains),
        "n_k": float(n_k[0]),
        "min": float(gains.min()),
        **ratio,
    }


def bring_up_to_date() -> int:
    """Evaluate every study whose data or runs have changed; how many were.

    One that cannot be evaluated is logged, tried again at the next tick, and holds up no other.
    """
    stale = (
        Study.objects.filter(Q(evaluation=None) & Q(topics__revision__gt=0) | _is_behind())
        .only("slug")
        .distinct()
        .order_by("pk")
    )
    done = 0
    for study in stale:
        try:
            done += evaluate(study) is not None
        except Exception:
            log.exception("study %s could not be evaluated", study)
    return done


def _is_behind() -> Q:
    return (
        Q(topics__topicevaluation=None, topics__revision__gt=0, evaluation__isnull=False)
        | Q(topics__revision__gt=F("topics__topicevaluation__revision"))
        | Q(evaluation__collection_revision__lt=F("collection__revision"))
        | (Q(evaluation__isnull=False) & ~Q(evaluation__code_version=VERSION))
    )


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
    runs, _ = completed.runs(study)
    header, is_new = Evaluation.objects.get_or_create(
        study=study, defaults=_header(study, runs) | {"number": 0}
    )
    # Runs may be newer than the revision, which was read before them: the next tick sees to it.
    everything |= is_new or (header.collection_revision, header.code_version, header.runs) != (
        *(study.collection.revision, VERSION, runs),
    )
    topics = study.topics.annotate(published=F("topicevaluation__revision"))
    stale = [
        topic
        for topic in topics.only("study", "topic", "revision")  # not their pools
        if everything or topic.published != topic.revision
    ]
    TopicEvaluation.objects.filter(study_topic__in=stale).only("pk").delete()
    for topic in stale:
        _evaluate_topic(header, topic, runs, schemes(study))
    for name, value in _header(study, runs).items():
        setattr(header, name, value)
    header.number += 1
    _rank(header)
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


def _header(study: Study, runs: list[int]) -> dict[str, object]:
    normalisation, aggregation = schemes(study)
    return {
        "normalisation": normalisation,
        "aggregation": aggregation,
        "collection_revision": study.collection.revision,
        "code_version": VERSION,
        "runs": runs,
        "topics": 0,
        "units": 0,
        "judgments": 0,
        "computed_at": timezone.now(),
    }


def _evaluate_topic(
    header: Evaluation, topic: StudyTopic, runs: list[int], how: tuple[str, str]
) -> None:
    """Compute one topic whole, and store it."""
    done = completed.judgments(topic.pk)
    if not done.assignments.size and not done.revision:
        return
    pool = completed.pool(topic.pk)
    scaled = scale(done, pool, *how)
    kept = _keep(header, topic, done, scaled)
    if not done.assignments.size:
        return
    measures = [parse(name) for name in MEASURES]
    codes = completed.rankings(topic.topic_id, runs, _deepest(measures))
    TopicScores.objects.bulk_create(
        TopicScores(
            topic_evaluation=kept,
            measure=str(measure),
            values=_array(found.values.tolist()),
            judged=_array(_or_none(found.judged)),
        )
        for measure in measures
        for found in [measure_runs(pool, scaled.documents, scaled.gains, codes, measure)]
    )


def _keep(
    header: Evaluation, topic: StudyTopic, done: completed.Completed, scaled: Scaled
) -> TopicEvaluation:
    """Store the scores of one topic."""
    arrays.insert(
        TopicEvaluation._meta.db_table,
        {
            "study_topic_id": topic.pk,
            "evaluation_id": header.pk,
            "revision": done.revision,
            "gamma": None if np.isnan(scaled.gamma) else scaled.gamma,
            "assignments": done.assignments,
            "gamma_u": scaled.gamma_u,
            "normalised": scaled.normalised.ravel(),
            "documents": scaled.documents,
            "gains": scaled.gains,
            "counts": scaled.counts.astype(np.int32),
        },
    )
    return TopicEvaluation.objects.only("pk").get(study_topic=topic)


def _deepest(measures: Iterable[Measure]) -> int | None:
    """The depth to which runs must be read; None: to their end."""
    cutoffs = [measure.cutoff for measure in measures]
    return None if None in cutoffs else max(cutoff or 0 for cutoff in cutoffs)


def _or_none(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _array(values: Sequence[float | None]) -> Any:
    """An array in PostgreSQL's own words; one of thousands of expressions takes it far longer."""
    return f"{{{','.join(map(repr, values)).replace('None', 'NULL')}}}"


def _rank(header: Evaluation) -> None:
    """Rank the systems by the means over all topics with a completed unit."""
    Ranking.objects.filter(evaluation=header).delete()
    header.units = header.judgments = header.topics = 0
    for units, judgments in header.topic_set.values_list("units", "judgments"):
        header.units += 0 if header.study.is_imported else units
        header.judgments += judgments
        header.topics += bool(units)
    Ranking.objects.bulk_create(
        Ranking(
            evaluation=header,
            measure=measure,
            **{name: _array(column) for name, column in summary(values, judged).items()},
        )
        for measure, values, judged in _over_topics(header)
    )


def _over_topics(header: Evaluation) -> Iterator[tuple[str, Floats, Floats]]:
    """Of each measure, its values and judged shares, both (topics, runs)."""
    rows = list(
        TopicScores.objects.filter(topic_evaluation__evaluation=header)
        .order_by("topic_evaluation__study_topic__topic__query_id")
        .values_list("measure", "values", "judged")
    )
    for measure in MEASURES:
        if found := [(values, judged) for name, values, judged in rows if name == measure]:
            values, judged = zip(*found, strict=True)
            yield measure, np.array(values, dtype=float), np.array(judged, dtype=float)


def summary(values: Floats, judged: Floats) -> dict[str, Sequence[float | None]]:
    """Means, intervals, ranks and judged shares by run, from (topics, runs)."""
    mean, low, high = t_interval(values, axis=0)
    listed = ~np.isnan(judged)
    with np.errstate(invalid="ignore"):
        share = np.nansum(judged, axis=0) / listed.sum(axis=0)
    return {
        "means": mean.tolist(),
        "lows": _or_none(low),
        "highs": _or_none(high),
        "ranks": competition_ranks(mean).tolist(),
        "judged": _or_none(share),
        "missing": (~listed).sum(axis=0).tolist(),
    }
