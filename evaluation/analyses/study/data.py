"""All that analyses are computed from: a study's completed units as arrays, read at one moment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation import pipeline, results
from evaluation.agreement.opinions import Names, Opinions
from evaluation.analyses.study import judged_elsewhere as opinions
from evaluation.analyses.study import other_studies
from evaluation.analyses.study.collected import Codes, Collected
from evaluation.analyses.study.judged_elsewhere import Said, Texts
from evaluation.analyses.study.other_studies import OtherStudy
from evaluation.gains.scores import LEVELS, Scores
from judging import completed
from judging.models import LabelSet, PooledDocument, Study, StudyTopic, Worker

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
DEPTH = 10  # ranks of a list that measures at their usual cutoff read
SEED = 1
CUT = LEVELS


@dataclass(frozen=True, eq=False)
class TopicData:
    """One topic with a completed unit: d pooled documents, u units of s pages, r runs.

    doc_ids, codes (in the topic's vocabulary), gains (NaN: not judged), counts, labels (NaN: none):
    (d,); h_k, n_k: their places among the pooled documents. places (of the documents shown),
    scores, normalised, seconds, texts, words (equal where justifications are): (u, s), by page;
    assignments (keys), gamma_u, workers (codes into `StudyData.workers`), numbers, finished,
    failed, earlier (units that the worker had completed before in the study): (u,), in the order
    of completion. lists: (r, depth) codes, -1 where a list is shorter. labelled: all labels of the
    topic, of documents outside the pool too. other_labels: as `labels`, of the collection's other
    label sets by name.

    Of a study whose opinions were given elsewhere `said` has them all, and those that are a level
    stand as units of one document, without times (NaN) or anchors (h_k, n_k: -1).
    """

    query_id: str
    title: str
    key: int
    doc_ids: list[str]
    codes: Ints
    h_k: int
    n_k: int
    assignments: Ints
    places: Ints
    scores: Floats
    normalised: Floats
    gamma: float
    gamma_u: Floats
    workers: Ints
    numbers: Ints
    finished: Floats
    failed: Ints
    earlier: Ints
    seconds: Floats
    texts: NDArray[np.object_]
    words: Ints
    gains: Floats
    counts: Ints
    labels: Floats
    labelled: completed.Labelled
    lists: NDArray[np.int32]
    other_labels: Mapping[str, Floats] = field(default_factory=dict)
    said: Said | None = None

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

    def unit_name(self, row: int) -> str:
        """A unit as exports name it."""
        return f"{self.query_id}-{self.numbers[row]}"


@dataclass(frozen=True, eq=False)
class StudyData:
    """A study's topics with a completed unit, by query id, and what they have in common.

    `values`, `items` and the like are flat, one entry a judgment, topic by topic, unit by unit,
    page by page; an item is a topic-document pair, numbered through all topics.
    """

    study: Study
    label_set: str
    topics: list[TopicData]
    runs: list[str]
    workers: list[str]
    seed: int
    ask_justifications: Callable[[Ints, Ints], list[str]] = completed.justifications
    others: Sequence[OtherStudy] = ()  # of the same collection
    collected: Collected | None = None  # None: no more is known than topics have

    @cached_property
    def levels(self) -> list[float]:
        """The levels that labels of judged pairs have, lowest first."""
        found = np.unique(self.item_labels[self.counts > 0])
        return [float(level) for level in found[~np.isnan(found)]]

    @cached_property
    def units(self) -> int:
        return sum(len(topic.scores) for topic in self.topics)

    @cached_property
    def unit_size(self) -> int:
        """Documents of a unit; an opinion that was given elsewhere stands as a unit of one."""
        return 1 if self.study.is_imported else self.study.unit_size

    @cached_property
    def offsets(self) -> Ints:
        """The number of each topic's first item, and of all items."""
        return np.cumsum([0, *(len(topic.doc_ids) for topic in self.topics)])

    @cached_property
    def n_items(self) -> int:
        return int(self.offsets[-1])

    def _judgments(self, name: str) -> Floats:
        """A (u, s) array of the topics, flat."""
        parts = [getattr(topic, name).ravel() for topic in self.topics]
        return np.concatenate(parts) if parts else np.empty(0)

    def per_unit(self, name: str) -> Ints:
        """A (u,) array of the topics, one entry a unit."""
        parts = [getattr(topic, name) for topic in self.topics]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)

    def by_topic(self, of_units: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
        """An array over the units of all topics, by query id."""
        ends = np.cumsum([len(topic.scores) for topic in self.topics])[:-1]
        names = (topic.query_id for topic in self.topics)
        return dict(zip(names, np.split(of_units, ends), strict=True))

    def _pairs(self, name: str) -> Floats:
        """A (d,) array of the topics, one entry an item."""
        parts = [getattr(topic, name) for topic in self.topics]
        return np.concatenate(parts) if parts else np.empty(0)

    @cached_property
    def values(self) -> Floats:
        """Normalised scores."""
        return self._judgments("normalised")

    @cached_property
    def raw(self) -> Floats:
        """Scores as given."""
        return self._judgments("scores")

    @cached_property
    def seconds(self) -> Floats:
        return self._judgments("seconds")

    @cached_property
    def texts(self) -> NDArray[np.object_]:
        """Scores as typed."""
        parts = [topic.texts.ravel() for topic in self.topics]
        return np.concatenate(parts) if parts else np.empty(0, dtype=object)

    @cached_property
    def words(self) -> Ints:
        """A number for each justification, equal where they are."""
        parts = [topic.words.ravel() for topic in self.topics]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)

    @cached_property
    def items(self) -> Ints:
        parts = [
            topic.places.ravel() + start
            for topic, start in zip(self.topics, self.offsets, strict=False)
        ]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)

    @cached_property
    def unit_of(self) -> Ints:
        """The number of each judgment's unit, through all topics."""
        return np.repeat(np.arange(self.units), self.unit_size)

    @cached_property
    def positions(self) -> Ints:
        """Pages, from 1."""
        return np.tile(np.arange(1, self.unit_size + 1), self.units)

    @cached_property
    def worker_of(self) -> Ints:
        return self.per_unit("workers")[self.unit_of]

    @cached_property
    def topic_of_item(self) -> Ints:
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    @property
    def has_anchors(self) -> bool:
        """Whether every unit holds an H_k and an N_k."""
        return not self.study.is_imported

    @cached_property
    def is_anchor(self) -> NDArray[np.bool_]:
        """Of each item, whether it is an H_k or N_k."""
        anchors = np.zeros(self.n_items, dtype=bool)
        for topic, start in zip(self.topics, self.offsets, strict=False):
            anchors[[start + place for place in (topic.h_k, topic.n_k) if place >= 0]] = True
        return anchors

    @cached_property
    def lists(self) -> list[Codes]:
        """Of each topic every run to its end, (r, ranks), codes as in `TopicData.lists`."""
        if self.collected is None:
            return [topic.lists for topic in self.topics]
        return [self.whole_lists(place) for place in range(len(self.topics))]

    def whole_lists(self, place: int, by_rank: bool = False) -> Codes:
        """Of one topic every run to its end, in the order of scores or of the rank field."""
        topic = self.topics[place]
        return self.collected.lists(topic.key, by_rank) if self.collected else topic.lists

    @cached_property
    def lengths(self) -> list[Floats]:
        """Of each topic the words of documents, by code; NaN where not known, and at the end."""
        named = list(zip(self.topics, self.lists, strict=True))
        if self.collected is None:
            return [
                np.full(max(lists.max(initial=-1), t.codes.max()) + 2, np.nan) for t, lists in named
            ]
        return [self.collected.words(t.key, t.codes, lists) for t, lists in named]

    @cached_property
    def gains(self) -> Floats:
        return self._pairs("gains")

    @cached_property
    def counts(self) -> Ints:
        return self._pairs("counts").astype(np.int64)

    @cached_property
    def item_labels(self) -> Floats:
        return self._pairs("labels")

    @cached_property
    def opinions(self) -> Opinions:
        """Every opinion in levels, topic by topic in the order in which they came.

        Magnitudes are cut into four; a topic whose H_k has no more gain than its N_k has none.
        """
        if parts := self._said:
            return opinions.joined(parts, self.offsets, self.names)
        if not self.study.is_graded:
            return self.magnitudes.opinions
        levels, size = self.raw.astype(np.int64), len(self.study.levels)
        return Opinions(self.items, levels, self.worker_of, size, self.topic_of_item, self.names)

    @cached_property
    def magnitudes(self) -> Scores:
        """Every magnitude that was given, with the gains of the topics' anchors."""
        return Scores(
            self.items,
            self.values,
            self.worker_of,
            self.topic_of_item,
            np.array([topic.gains[topic.n_k] for topic in self.topics], dtype=np.float64),
            np.array([topic.gains[topic.h_k] for topic in self.topics], dtype=np.float64),
            self.gains,
            self.names,
        )

    @property
    def names(self) -> Names:
        """What messages call levels and workers."""
        return Names(self.study.levels, self.workers.__getitem__)

    @cached_property
    def aspects(self) -> Texts:
        """What of the document each opinion is on, as snippet or page; empty: not said."""
        return self._marks("aspects")

    @cached_property
    def occasions(self) -> Texts:
        """Which of several times each opinion was given; empty: not said."""
        return self._marks("occasions")

    @cached_property
    def _said(self) -> list[Said]:
        return [topic.said for topic in self.topics if topic.said]

    def _marks(self, name: str) -> Texts:
        parts = [getattr(part, name) for part in self._said]
        return np.concatenate(parts) if parts else np.full(len(self.items), "", dtype=object)

    def justifications(self, judgments: Ints) -> list[str]:
        """Those of some judgments (their places in the flat arrays), read when asked for."""
        asked = self.per_unit("assignments")[self.unit_of[judgments]]
        return self.ask_justifications(asked, self.positions[judgments])

    def unit_name(self, unit: int) -> str:
        """A unit, numbered through all topics, as exports name it."""
        ends = np.cumsum([len(topic.scores) for topic in self.topics])
        topic = int(np.searchsorted(ends, unit, "right"))
        found = self.topics[topic]
        return found.unit_name(unit - int(ends[topic]) + len(found.scores))

    def pair_name(self, item: int) -> tuple[str, str]:
        """Topic and document of an item."""
        topic = int(self.topic_of_item[item])
        return self.topics[topic].query_id, self.topics[topic].doc_ids[item - self.offsets[topic]]


@results.one_moment()
def load(study: Study, label_set: str = "", seed: int = SEED) -> StudyData:
    """Read a study; labels are those of the named set, or of the one its anchors come from."""
    named = label_set or study.labels
    sets = LabelSet.objects.filter(collection=study.collection_id).order_by("name")
    labels = next((one for one in sets if one.name == named), None)
    others = [one for one in sets if one.name != named]
    keys, tags = completed.runs(study)
    topics = study.topics.select_related("topic").order_by("topic__query_id")
    read = [
        (topic, done, *_given(study, topic))
        for topic in topics
        for done in [completed.judgments(topic.pk)]
        if done.assignments.size
    ]
    earlier, worker_keys = _experience([given for _, _, given, _ in read])
    pseudonyms = dict(Worker.objects.filter(study=study).values_list("id", "pseudonym"))
    return StudyData(
        study,
        labels.name if labels else "",
        [
            _topic(topic, done, given, said, before, worker_keys, labels, others, keys)
            for (topic, done, given, said), before in zip(read, earlier, strict=True)
        ],
        tags,
        [pseudonyms[int(key)] for key in worker_keys],
        seed,
        others=other_studies.read(study),
        collected=Collected(study, keys),
    )


def _given(
    study: Study, topic: StudyTopic
) -> tuple[completed.Circumstances, completed.Opinions | None]:
    """How the units of a topic were judged, and what was said of it elsewhere."""
    if not study.is_imported:
        return completed.circumstances(topic.pk), None
    said = completed.opinions(topic.pk)
    return opinions.as_units(said.on(study.main_aspect), study.levels), said


def _experience(read: list[completed.Circumstances]) -> tuple[list[Ints], Ints]:
    """How many units each unit's worker had completed before it, by topic; keys of all workers."""
    if not read:
        return [], np.empty(0, dtype=np.int64)
    workers = np.concatenate([given.workers for given in read])
    finished = np.concatenate([given.finished for given in read])
    keys, codes = np.unique(workers, return_inverse=True)
    order = np.lexsort((finished, codes))
    firsts = np.searchsorted(codes[order], np.arange(len(keys)))
    before = np.empty(len(workers), dtype=np.int64)
    before[order] = np.arange(len(workers)) - firsts[codes[order]]
    return np.split(before, np.cumsum([len(given.workers) for given in read])[:-1]), keys


def _topic(
    topic: StudyTopic,
    done: completed.Completed,
    given: completed.Circumstances,
    said: completed.Opinions | None,
    earlier: Ints,
    workers: Ints,
    label_set: LabelSet | None,
    others: Sequence[LabelSet],
    runs: list[int],
) -> TopicData:
    pool = completed.pool(topic.pk)
    names = dict(PooledDocument.objects.filter(study_topic=topic).values_list("id", "doc_id"))
    scaled = pipeline.scale(done, pool, *pipeline.schemes(topic.study))
    judged = np.searchsorted(pool.keys, scaled.documents)
    gains, counts = np.full(len(pool.keys), np.nan), np.zeros(len(pool.keys), dtype=np.int64)
    gains[judged], counts[judged] = scaled.gains, scaled.counts
    labelled = completed.labels(topic.topic, label_set)
    return TopicData(
        query_id=topic.topic.query_id,
        title=topic.topic.title,
        key=topic.pk,
        doc_ids=[names[int(key)] for key in pool.keys],
        codes=pool.codes,
        h_k=_place(pool.keys, pool.h_k),
        n_k=_place(pool.keys, pool.n_k),
        assignments=done.assignments,
        places=np.searchsorted(pool.keys, done.documents),
        scores=done.scores,
        normalised=scaled.normalised,
        gamma=scaled.gamma,
        gamma_u=scaled.gamma_u,
        workers=np.searchsorted(workers, given.workers),
        numbers=given.numbers,
        finished=given.finished,
        failed=given.failed,
        earlier=earlier,
        seconds=given.seconds,
        texts=given.texts,
        words=given.words,
        gains=gains,
        counts=counts,
        labels=_labels_of(pool.codes, labelled),
        labelled=labelled,
        lists=completed.rankings(topic.topic_id, runs, DEPTH),
        other_labels={
            one.name: _labels_of(pool.codes, completed.labels(topic.topic, one)) for one in others
        },
        said=opinions.said(said, pool.keys, workers) if said else None,
    )


def _place(keys: Ints, key: int) -> int:
    """Where a document is in its pool; -1: nowhere."""
    found = np.flatnonzero(keys == key)
    return int(found[0]) if found.size else -1


def _labels_of(codes: Ints, labelled: completed.Labelled) -> Floats:
    """The level of each pooled document, NaN without a label."""
    known = labelled.codes >= 0
    of_code = np.full(max(codes.max(initial=-1), labelled.codes.max(initial=-1)) + 1, np.nan)
    of_code[labelled.codes[known]] = labelled.levels[known]
    return of_code[codes]
