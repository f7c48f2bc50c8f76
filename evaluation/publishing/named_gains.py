"""Gains of a study's documents by name: what its judgments are worth under another definition.

They are computed when they are asked for, from the judgments that are published, so that a ranking
by any of them is from the same units as the one that is published.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation import pipeline
from evaluation.models import TopicEvaluation
from judging import completed
from judging.models import Study, Worker
from magnitudes.agreement.opinions import Names, Opinions
from magnitudes.gains import GainError
from magnitudes.gains.catalogue import NamedGain
from magnitudes.gains.named import forms, offered, parse
from magnitudes.gains.scores import Scores
from magnitudes.scaling import ScalingError

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


class NoSuchGains(GainError):
    """There are no gains of that name, or none of these judgments; the message says why."""


class TopicGains(NamedTuple):
    """Of one topic: documents by key, ascending; their gains, and how many judgments each has."""

    documents: Ids
    gains: Floats
    counts: Ids


class _Judged(NamedTuple):
    """The published judgments of one topic: places among its documents, values, who, (n,) each.

    Values are normalised, or levels; anchors: the gains of N_k and H_k.
    """

    places: Ids
    values: Floats
    judges: Ids
    anchors: tuple[float, float]


def usual(study: Study) -> str:
    """The name of the gains that a study's systems are ranked by, unless others are asked for."""
    return "linear" if study.is_graded else "magnitude"


def choices(study: Study) -> dict[str, str]:
    """What a study offers, the usual gains first: what each is, by name."""
    all_offered, first = offered(), usual(study)
    others = {name: what for name, what in all_offered.items() if name not in (first, "magnitude")}
    return {first: all_offered[first], **(others if _has_levels(study) else {})}


def _has_levels(study: Study) -> bool:
    """Whether levels were given, or magnitudes in units whose anchors cut them into levels."""
    return study.is_graded or not study.is_imported


def named(study: Study, name: str | None = None) -> NamedGain:
    """The gain of a name, the usual one if there is none.

    Raises:
        NoSuchGains: no such gain, or none that this kind of study can have; it says which can.
    """
    try:
        gain = parse(usual(study) if name is None else name, study.max_counted_judgments)
    except GainError as fault:
        raise NoSuchGains(str(fault)) from fault
    if gain.of == "scores" and study.is_graded:
        why = f"{study} has levels, whose size says nothing of how much better one is"
        raise NoSuchGains(
            f"no gain is called {gain.name} here: {why}; there are {forms('levels', 'opinions')}"
        )
    if gain.of != "scores" and not _has_levels(study):
        raise NoSuchGains(
            f"no gain is called {gain.name} here: {study} has magnitudes from elsewhere, without "
            f"the anchors that would cut them into levels; there is {forms('scores')}"
        )
    return gain


def of_topics(study: Study, topics: Sequence[TopicEvaluation], gain: NamedGain) -> list[TopicGains]:
    """The gains of judged documents by topic; one of which nothing is known is left out.

    What is read is of one moment if the caller's transaction is.

    Raises:
        NoSuchGains: nothing can be computed from these judgments.
    """
    published = _published(topics)
    if gain.name == usual(study) or not published:
        return published
    try:
        gains = gain.gains(_judgments(study, topics, published))
    except (GainError, ScalingError) as fault:
        raise NoSuchGains(f"{gain.name}: {fault}") from fault
    ends = np.cumsum([len(topic.documents) for topic in published])
    return [
        _known(topic._replace(gains=of_topic))
        for topic, of_topic in zip(published, np.split(gains, ends[:-1]), strict=True)
    ]


def remark(study: Study, topics: Sequence[TopicEvaluation], gain: NamedGain) -> str:
    """What there is to say of the judgments that `of_topics` makes gains of, or ""."""
    if gain.name == usual(study) or not topics:
        return ""
    return gain.remark(_judgments(study, topics, _published(topics)))


def _published(topics: Sequence[TopicEvaluation]) -> list[TopicGains]:
    return [
        TopicGains(np.array(topic.documents), np.array(topic.gains), np.array(topic.counts))
        for topic in topics
    ]


def _known(topic: TopicGains) -> TopicGains:
    """The documents that have a gain."""
    known = ~np.isnan(topic.gains)
    return TopicGains(topic.documents[known], topic.gains[known], topic.counts[known])


def _judgments(
    study: Study, topics: Sequence[TopicEvaluation], published: Sequence[TopicGains]
) -> Opinions | Scores:
    """The judgments of all topics as one list."""
    offsets = np.cumsum([0, *(len(topic.documents) for topic in published)])
    parts = [_judged(study, *pair) for pair in zip(topics, published, strict=True)]
    items = np.concatenate(
        [part.places + start for part, start in zip(parts, offsets, strict=False)]
    )
    values = np.concatenate([part.values for part in parts])
    judges = np.concatenate([part.judges for part in parts])
    topic_of_item = np.repeat(np.arange(len(published)), np.diff(offsets))
    names = Names(study.levels, lambda worker: Worker.objects.get(pk=worker).pseudonym)
    if study.is_graded:
        levels = values.astype(np.int64)
        return Opinions(items, levels, judges, len(study.levels), topic_of_item, names)
    n_k, h_k = np.array([part.anchors for part in parts]).T
    aggregated = np.concatenate([topic.gains for topic in published])
    return Scores(items, values, judges, topic_of_item, n_k, h_k, aggregated, names)


def _judged(study: Study, topic: TopicEvaluation, published: TopicGains) -> _Judged:
    key = topic.study_topic_id
    if study.is_imported:  # with levels: no other gain is computed of magnitudes
        opinions = completed.opinions(key).counted(study.main_aspect)
        places = np.searchsorted(published.documents, opinions.documents)
        levels = opinions.levels.astype(np.float64)
        return _Judged(places, levels, opinions.workers, (np.nan, np.nan))
    judgments, pool = completed.judgments(key), completed.pool(key)
    kept = np.isin(judgments.assignments, topic.assignments)
    evaluated = completed.Completed(
        judgments.revision,
        judgments.assignments[kept],
        judgments.documents[kept],
        judgments.scores[kept],
    )
    scores = pipeline.scale(evaluated, pool, *pipeline.schemes(study)).normalised
    n_k, h_k = (published.gains[published.documents == anchor] for anchor in (pool.n_k, pool.h_k))
    return _Judged(
        np.searchsorted(published.documents, evaluated.documents.ravel()),
        scores.ravel(),
        np.repeat(completed.judges(evaluated), scores.shape[-1]),
        (float(n_k[0]), float(h_k[0])) if n_k.size and h_k.size else (np.nan, np.nan),
    )
