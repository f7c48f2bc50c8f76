"""One topic of a study: its pool, its completed units, its labels and lists; and reading it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation import pipeline
from evaluation.study.whole_lists import Codes
from judging import completed
from judging.models import LabelSet, PooledDocument, Study, StudyTopic
from magnitudes.measures.lists import places_of
from magnitudes.scaling import ScalingError
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.normalisation import normalise
from web.text import natural

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Texts = NDArray[np.object_]
Mask = NDArray[np.bool_]
DEPTH = 10  # ranks of a list that measures at their usual cutoff read


@dataclass(frozen=True, eq=False)
class TopicOpinions:
    """All opinions on one topic that were given elsewhere, in the order in which they were read.

    Those without a level are among them. Columns are (n,).
    """

    places: Ints  # of the documents in the pool
    judges: Ints  # places in `StudyData.workers`; from its size on, judges who gave no level at all
    levels: Ints  # -1: none
    aspects: Texts  # what of the document they are on, as snippet or page; empty: not said
    occasions: Texts  # which of several times they were given; empty: not said


@dataclass(frozen=True, eq=False)
class TopicData:
    """One topic with a completed unit: d pooled documents, u units of s pages, r runs.

    Elsewhere each opinion that counts is a row of one document, without times (NaN), anchors (-1):
    a unit of its own, or, of magnitudes, with the other rows that have its number in `groups`.
    """

    query_id: str
    title: str
    key: int  # of the study's topic
    # Of the pool, (d,).
    doc_ids: list[str]
    codes: Ints  # in the topic's vocabulary
    h_k: int  # places of the anchors among the pooled documents
    n_k: int
    # Of units or rows, (u,), or their pages, (u, s). Columns as in `Judgments` and `Units`.
    assignments: Ints
    places: Ints  # (u, s), of the documents shown
    scores: Floats  # (u, s)
    normalised: Floats  # (u, s)
    gamma: float
    gamma_u: Floats
    workers: Ints
    numbers: Ints
    finished: Floats
    failed: Ints
    earlier: Ints
    seconds: Floats  # (u, s)
    texts: Texts  # (u, s)
    words: Ints  # (u, s)
    # Of the pool, (d,), as in `Documents`.
    gains: Floats
    counts: Ints
    labels: Floats
    labelled: completed.Labelled  # all labels of the topic, of documents outside the pool too
    lists: Codes  # (r, depth), -1 where a list is shorter
    # As `labels`, of the collection's other label sets by name.
    other_labels: Mapping[str, Floats] = field(default_factory=dict)
    opinions: TopicOpinions | None = None  # levels, given elsewhere
    groups: Ints | None = None  # (u,), from 0, of magnitudes given elsewhere
    group_names: Texts | None = None  # (u,), empty where a group has none

    @cached_property
    def unit_of_row(self) -> Ints:
        """(u,), from 0: what rows of one document are units together, else every row its own."""
        return np.arange(len(self.scores)) if self.groups is None else self.groups

    @property
    def n_units(self) -> int:
        return int(self.unit_of_row.max(initial=-1)) + 1

    @property
    def anchor_gains(self) -> tuple[float, float]:
        """Of N_k and H_k; NaN where the topic has none."""
        n_k, h_k = (self.gains[place] if place >= 0 else np.nan for place in (self.n_k, self.h_k))
        return float(n_k), float(h_k)

    def unit_name(self, number: int) -> str:
        """As exports name it: where magnitudes were given elsewhere, by the name of its group."""
        names = [] if self.group_names is None else self.group_names[self.numbers == number]
        return str(names[0]) if len(names) and names[0] else f"{self.query_id}-{number}"

    @cached_property
    def unlabelled(self) -> Mask:
        """(d,), the group U: the documents that are judged and have no label."""
        return (self.counts > 0) & np.isnan(self.labels)

    @cached_property
    def may_be_zero(self) -> Mask:
        """(d,), those of U that may count as 0: no anchors, and none where no document has a label.

        Tools that read qrels leave a topic out that has none.
        """
        return self.unlabelled & ~self.is_anchor & bool(self.labelled.levels.size)

    @cached_property
    def is_anchor(self) -> Mask:
        places = np.arange(len(self.doc_ids))
        return (places == self.h_k) | (places == self.n_k)

    def by_label_set(self, name: str) -> "TopicData":
        """The same with the labels of another set, those of the pool."""
        labels = self.other_labels[name]
        known = np.flatnonzero(~np.isnan(labels))
        doc_ids = [self.doc_ids[place] for place in known]
        labelled = completed.Labelled(doc_ids, self.codes[known], labels[known])
        return replace(self, labels=labels, labelled=labelled)

    def with_zeros(self) -> "TopicData":
        """The same with 0 for the labels that U may have; no pair of documents has an anchor."""
        labels, zeros = (
            np.where(self.may_be_zero, 0.0, self.labels),
            np.flatnonzero(self.may_be_zero),
        )
        labels[self.is_anchor] = np.nan
        doc_ids, codes, levels = self.labelled.doc_ids, self.labelled.codes, self.labelled.levels
        labelled = completed.Labelled(
            [*doc_ids, *(self.doc_ids[place] for place in zeros)],
            np.concatenate([codes, self.codes[zeros]]),
            np.concatenate([levels, np.zeros(len(zeros))]),
        )
        return replace(self, labels=labels, labelled=labelled)

    @cached_property
    def shown_labels(self) -> Floats:
        """The labels of the documents shown, (u, s)."""
        return self.labels[self.places]

    @cached_property
    def hk_nk(self) -> Floats:
        """score(H_k) / score(N_k) of every unit, (u,)."""
        return self._score_of(self.h_k) / self._score_of(self.n_k)

    def _score_of(self, place: int) -> Floats:
        return self.scores[np.arange(len(self.scores)), (self.places == place).argmax(axis=1)]


class Judged(NamedTuple):
    """A topic with a completed unit, and how it was judged, here or elsewhere."""

    topic: StudyTopic
    units: completed.Completed
    circumstances: completed.Circumstances
    opinions: completed.Opinions | None
    group_names: Texts | None = None  # of each row that was given elsewhere


def judged(study: Study, tries: int | None = None) -> list[Judged]:
    """The topics of a study with a unit; only units completed within so many tries, if it is said.

    A topic that has none of them is left out.
    """
    topics = _judged(study)
    if tries is None:
        return topics
    some = (_within(topic, topic.circumstances.failed < tries) for topic in topics)
    return [topic for topic in some if len(topic.units.assignments)]


def _within(judged: Judged, units: Mask) -> Judged:
    """A topic with some of its units alone."""
    done, how = judged.units, judged.circumstances
    columns = {column.name: getattr(how, column.name)[units] for column in fields(how)}
    return judged._replace(
        units=replace(
            done,
            assignments=done.assignments[units],
            documents=done.documents[units],
            scores=done.scores[units],
        ),
        circumstances=replace(how, **columns),
    )


def _judged(study: Study) -> list[Judged]:
    judged = []
    of_study = study.topics.select_related("topic")
    for topic in sorted(of_study, key=lambda one: natural(one.topic.query_id)):
        units = completed.judgments(topic.pk)
        if units.assignments.size and study.is_imported:
            opinions = completed.opinions(topic.pk)
            counted = opinions.counted(study.main_aspect)
            rows = _as_rows(counted, units.groups, study.levels)
            levels_given = opinions if study.is_graded else None
            judged.append(Judged(topic, units, rows, levels_given, counted.groups))
        elif units.assignments.size:
            judged.append(Judged(topic, units, completed.circumstances(units), None))
    return judged


def _as_rows(
    opinions: completed.Opinions, groups: Ints | None, names: Sequence[str]
) -> completed.Circumstances:
    """How the rows of one document came about that opinions stand as: who gave them is known."""
    n = len(opinions.workers)
    texts = [names[level] for level in opinions.levels if names]
    texts += [repr(score).removesuffix(".0") for score in opinions.scores.tolist() if not names]
    return completed.Circumstances(
        workers=opinions.workers,
        numbers=np.arange(1, n + 1) if groups is None else groups,
        finished=np.full(n, np.nan),
        failed=np.zeros(n, dtype=np.int64),
        seconds=np.full((n, 1), np.nan),
        texts=np.array(texts, dtype=object).reshape(n, 1),
        words=np.arange(n).reshape(n, 1),
    )


def units_of_rows(topics: Sequence[TopicData]) -> Ints:
    """The unit of each row of all topics, (rows,), from 0, topic by topic."""
    starts = np.cumsum([0, *(topic.n_units for topic in topics)])
    of_topics = [n + topic.unit_of_row for n, topic in zip(starts, topics, strict=False)]
    return np.concatenate([starts[:0], *of_topics])


def experience(topics: Sequence[completed.Circumstances]) -> tuple[list[Ints], Ints]:
    """How many units each unit's worker had completed before it, by topic; keys of all workers."""
    if not topics:
        return [], np.empty(0, dtype=np.int64)
    workers = np.concatenate([topic.workers for topic in topics])
    finished = np.concatenate([topic.finished for topic in topics])
    keys, codes = np.unique(workers, return_inverse=True)
    order = np.lexsort((finished, codes))
    firsts = np.searchsorted(codes[order], np.arange(len(keys)))
    before = np.empty(len(workers), dtype=np.int64)
    before[order] = np.arange(len(workers)) - firsts[codes[order]]
    return np.split(before, np.cumsum([len(topic.workers) for topic in topics])[:-1]), keys


def read(
    judged: Judged,
    earlier: Ints,
    workers: Ints,
    label_set: LabelSet | None,
    others: Sequence[LabelSet],
    runs: list[int],
) -> TopicData:
    """One topic; workers, runs: the keys of all of them."""
    topic, units, circumstances, opinions, group_names = judged
    pool = completed.pool(topic.pk)
    names = dict(PooledDocument.objects.filter(study_topic=topic).values_list("id", "doc_id"))
    scaled = pipeline.scale(units, pool, *pipeline.schemes(topic.study))
    places = np.searchsorted(pool.keys, scaled.documents)
    gains, counts = np.full(len(pool.keys), np.nan), np.zeros(len(pool.keys), dtype=np.int64)
    gains[places], counts[places] = scaled.gains, scaled.counts
    labelled = completed.labels(topic.topic, label_set)
    return TopicData(
        query_id=topic.topic.query_id,
        title=topic.topic.title,
        key=topic.pk,
        doc_ids=[names[int(key)] for key in pool.keys],
        codes=pool.codes,
        h_k=_place(pool.keys, pool.h_k),
        n_k=_place(pool.keys, pool.n_k),
        assignments=units.assignments,
        places=np.searchsorted(pool.keys, units.documents),
        scores=units.scores,
        normalised=scaled.normalised,
        gamma=scaled.gamma,
        gamma_u=scaled.gamma_u,
        workers=np.searchsorted(workers, circumstances.workers),
        numbers=circumstances.numbers,
        finished=circumstances.finished,
        failed=circumstances.failed,
        earlier=earlier,
        seconds=circumstances.seconds,
        texts=circumstances.texts,
        words=circumstances.words,
        gains=gains,
        counts=counts,
        labels=_labels_of(pool.codes, labelled),
        labelled=labelled,
        lists=completed.rankings(topic.topic_id, runs, max(DEPTH, topic.study.used_cutoff or 0)),
        other_labels={
            each.name: _labels_of(pool.codes, completed.labels(topic.topic, each))
            for each in others
        },
        opinions=_opinions(opinions, pool.keys, workers) if opinions else None,
        groups=None if units.groups is None else units.groups - 1,
        group_names=group_names,
    )


def _place(keys: Ints, key: int) -> int:
    """Where a document is in its pool; -1: nowhere."""
    places = np.flatnonzero(keys == key)
    return int(places[0]) if places.size else -1


def _labels_of(codes: Ints, labelled: completed.Labelled) -> Floats:
    """The level of each pooled document, NaN without a label."""
    return np.append(labelled.levels, [np.nan, np.nan])[places_of(codes, labelled.codes)]


def _opinions(opinions: completed.Opinions, pool: Ints, workers: Ints) -> TopicOpinions:
    """Opinions with the keys of documents and workers made places in two ascending lists."""
    judges = np.searchsorted(workers, opinions.workers)
    strangers = ~np.isin(opinions.workers, workers)
    judges[strangers] = len(workers) + np.searchsorted(
        np.unique(opinions.workers[strangers]), opinions.workers[strangers]
    )
    places = np.searchsorted(pool, opinions.documents)
    return TopicOpinions(places, judges, opinions.levels, opinions.aspects, opinions.occasions)


class Rescaled(NamedTuple):
    """Gains of a topic's pool as another choice gives them, and how many units they are from."""

    gains: Floats  # (d,), NaN without a score
    units: int


def rescaled(
    topic: TopicData,
    units: Mask | None = None,
    normalisation: str = pipeline.NORMALISATION,
    aggregation: str = pipeline.AGGREGATION,
) -> Rescaled:
    """Gains from some of the rows of units, (u,), or all; the topic's centre is of these alone."""
    some = np.ones(len(topic.scores), dtype=np.bool_) if units is None else units
    places, groups = topic.places[some], None if topic.groups is None else topic.groups[some]
    anchors = topic.h_k, topic.n_k
    moved = pipeline.normalised(topic.scores[some], places, anchors, groups, normalisation)
    return _aggregated(topic, moved.values, places, aggregation)


def centred_without_anchors(topic: TopicData) -> Rescaled:
    """The centres of units and of the topic are those of the documents that are no anchors."""
    others = (topic.places != topic.h_k) & (topic.places != topic.n_k)
    _, gamma, gamma_u = normalise(topic.scores[others].reshape(len(topic.scores), -1))
    with np.errstate(over="ignore", under="ignore"):
        scores = np.exp(np.log(topic.scores) + np.log(gamma) - np.log(gamma_u)[:, np.newaxis])
    if not ((scores > 0) & np.isfinite(scores)).all():
        raise ScalingError(
            f"topic {topic.query_id}: centred without its anchors, a score is no positive number"
        )
    return _aggregated(topic, scores, topic.places, pipeline.AGGREGATION)


def _aggregated(topic: TopicData, scores: Floats, places: Ints, how: str) -> Rescaled:
    gains = aggregate(scores.ravel(), places.ravel(), len(topic.doc_ids), how)
    return Rescaled(gains.values, len(places))
