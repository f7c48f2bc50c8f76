"""Gains of a study's documents by name: what its judgments are worth under another definition.

They are computed when they are asked for, from the judgments that are published, so that a ranking
by any of them is from the same units as the one that is published.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation import pipeline
from evaluation.gains import GainError
from evaluation.gains.named import OF_LEVELS, NamedGain, parse
from evaluation.gains.opinions import MISSING, Names, Opinions
from evaluation.gains.scores import Scores
from evaluation.models import TopicEvaluation
from evaluation.scaling import ScalingError
from judging import completed
from judging.models import Study, Worker

# What can be chosen without knowing more, and what it is.
CHOICES = {
    "magnitude": "normalised scores",
    "linear": "levels",
    "exponential": "2^level - 1",
    "udm:1/3": "1 of 3 users finds it best",
    "raw": "sum of ratings",
    "weighted": "that sum, less where judges differ",
    "unanimity:0.2": "that sum, and more where judges agree",
}
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
    first = usual(study)
    others = {name: what for name, what in CHOICES.items() if name not in (first, "magnitude")}
    return {first: CHOICES[first], **others}


def named(study: Study, name: str | None = None) -> NamedGain:
    """The gain of a name, the usual one if there is none.

    Raises:
        NoSuchGains: no such gain, or none that a study with levels can have; it says which can.
    """
    try:
        gain = parse(usual(study) if name is None else name, study.ratings_wanted)
    except GainError as fault:
        raise NoSuchGains(str(fault)) from fault
    if gain.of == "scores" and study.is_graded:
        why = f"{study} has levels, whose size says nothing of how much better one is"
        raise NoSuchGains(f"no gain is called {gain.name} here: {why}; there are {OF_LEVELS}")
    return gain


def of_topics(study: Study, topics: Sequence[TopicEvaluation], gain: NamedGain) -> list[TopicGains]:
    """The gains of judged documents by topic; one of which nothing is known is left out.

    What is read is of one moment if the caller's transaction is.

    Raises:
        NoSuchGains: nothing can be computed from these judgments.
    """
    known = _published(topics)
    if gain.name == usual(study) or not known:
        return known
    said = _said(study, topics, known)
    try:
        gains = gain.gains(said)
    except (GainError, ScalingError) as fault:
        raise NoSuchGains(f"{gain.name}: {fault}") from fault
    ends = np.cumsum([len(topic.documents) for topic in known])
    return [
        TopicGains(topic.documents[there], found[there], topic.counts[there])
        for topic, found in zip(known, np.split(gains, ends[:-1]), strict=True)
        for there in [~np.isnan(found)]
    ]


def remark(study: Study, topics: Sequence[TopicEvaluation], gain: NamedGain) -> str:
    """What there is to say of the judgments that `of_topics` makes gains of, or ""."""
    if gain.name == usual(study) or not topics:
        return ""
    return gain.remark(_said(study, topics, _published(topics)))


def _published(topics: Sequence[TopicEvaluation]) -> list[TopicGains]:
    return [
        TopicGains(*(np.array(of) for of in (topic.documents, topic.gains, topic.counts)))
        for topic in topics
    ]


def _said(
    study: Study, topics: Sequence[TopicEvaluation], known: Sequence[TopicGains]
) -> Opinions | Scores:
    """The judgments of all topics as one list."""
    offsets = np.cumsum([0, *(len(topic.documents) for topic in known)])
    parts = [_judged(study, *pair) for pair in zip(topics, known, strict=True)]
    items = np.concatenate(
        [part.places + start for part, start in zip(parts, offsets, strict=False)]
    )
    values = np.concatenate([part.values for part in parts])
    judges = np.concatenate([part.judges for part in parts])
    topic_of_item = np.repeat(np.arange(len(known)), np.diff(offsets))
    names = Names(study.levels, _pseudonym)
    if study.is_graded:
        levels = values.astype(np.int64)
        return Opinions(items, levels, judges, len(study.levels), topic_of_item, names)
    n_k, h_k = np.array([part.anchors for part in parts]).T
    whole = np.concatenate([topic.gains for topic in known])
    return Scores(items, values, judges, topic_of_item, n_k, h_k, whole, names)


def _pseudonym(worker: int) -> str:
    return Worker.objects.get(pk=worker).pseudonym


def _judged(study: Study, topic: TopicEvaluation, known: TopicGains) -> _Judged:
    of = topic.study_topic_id
    if study.is_imported:
        said = completed.opinions(of).on(study.main_aspect)
        there = said.levels != MISSING
        places = np.searchsorted(known.documents, said.documents[there])
        levels = said.levels[there].astype(np.float64)
        return _Judged(places, levels, said.workers[there], (np.nan, np.nan))
    done, pool = completed.judgments(of), completed.pool(of)
    kept = np.isin(done.assignments, topic.assignments)
    published = completed.Completed(
        done.revision, done.assignments[kept], done.documents[kept], done.scores[kept]
    )
    moved = pipeline.scale(published, pool, *pipeline.schemes(study)).normalised
    n_k, h_k = (known.gains[known.documents == key] for key in (pool.n_k, pool.h_k))
    return _Judged(
        np.searchsorted(known.documents, published.documents.ravel()),
        moved.ravel(),
        np.repeat(completed.judges(of)[kept], moved.shape[-1]),
        (float(n_k[0]), float(h_k[0])) if n_k.size and h_k.size else (np.nan, np.nan),
    )
