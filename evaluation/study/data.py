"""All that analyses are computed from: a study's completed units as tables of columns.

An analysis is a function of a `StudyData`, which `load` reads at one moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import results
from evaluation.publishing import planned_end
from evaluation.publishing.planned_end import PlannedEnd
from evaluation.study import other_studies, topics
from evaluation.study.other_studies import OtherStudy
from evaluation.study.topics import TopicData, TopicOpinions
from evaluation.study.whole_lists import Codes, Collected
from judging import completed
from judging.models import LabelSet, Study, Worker
from judging.numbers import exact_score
from judging.studies.analysis_plan import batches_after_ranking, interim
from magnitudes.agreement.opinions import Names, Opinions
from magnitudes.gains.scores import LEVELS, Scores
from magnitudes.scaling.groups import places_within
from magnitudes.spread.ratio_rule import Typed, typed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Texts = NDArray[np.object_]
Mask = NDArray[np.bool_]
SEED = 1
CUT = LEVELS


@dataclass(frozen=True, eq=False)
class Judgments:
    """A row for each judgment, topic by topic, unit by unit, page by page; columns are (n,)."""

    items: Ints  # rows of `Documents`
    units: Ints  # rows of `Units`
    positions: Ints  # pages, from 1
    workers: Ints  # places in `StudyData.workers`
    scores: Floats  # as given
    normalised: Floats
    seconds: Floats  # NaN: not known
    texts: Texts  # scores as typed
    words: Ints  # a number for each justification, equal where they are

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def typed(self) -> Typed:
        """The exact numbers that were typed, and which of them each judgment has."""
        return typed(self.texts, self.scores, exact_score)


@dataclass(frozen=True, eq=False)
class Documents:
    """A row for each item, a pooled document of a topic, topic by topic; columns are (items,)."""

    topics: Ints
    gains: Floats  # NaN: not judged
    counts: Ints  # judgments
    labels: Floats  # NaN: none
    is_anchor: Mask  # an H_k or N_k

    def __len__(self) -> int:
        return len(self.topics)


@dataclass(frozen=True, eq=False)
class Units:
    """A row for each completed unit, topic by topic, in the order of completion; columns (u,).

    A level from elsewhere stands as a unit of one document, magnitudes on one scale as one of all.
    """

    topics: Ints
    workers: Ints  # places in `StudyData.workers`
    assignments: Ints  # keys
    numbers: Ints  # as exports name units
    finished: Floats  # NaN: not known
    failed: Ints  # presses of Finish
    earlier: Ints  # units that the worker had completed before in the study

    def __len__(self) -> int:
        return len(self.topics)


@dataclass(frozen=True, eq=False)
class StudyData:
    """A study's topics with a completed unit, in natural order, and what they have in common."""

    study: Study
    label_set: str
    topics: list[TopicData]
    runs: list[str]
    workers: list[str]
    seed: int
    ask_justifications: Callable[[Ints, Ints], list[str]] = completed.justifications
    others: Sequence[OtherStudy] = ()  # of the same collection
    collected: Collected | None = None  # None: no more is known than topics have
    topics_there: int = 0  # in the collection
    topics_of_study: int = 0  # those without a completed unit, too
    interim: str = ""  # heads claims about systems until the planned end
    ordered_later: int = 0  # batches, when a ranking was visible
    planned_end: PlannedEnd | None = None  # where there are such
    # That of people, which a model's run is about, if all who see the run may see it.
    about: "StudyData | None" = None

    @cached_property
    def judgments(self) -> Judgments:
        units = np.repeat(topics.units_of_rows(self.topics), self.unit_size)
        starts = np.repeat(self.offsets[:-1], [topic.places.size for topic in self.topics])
        return Judgments(
            items=self._column("places", np.int64) + starts,
            units=units,
            positions=places_within(units) + 1,
            workers=self.units.workers[units],
            scores=self._column("scores"),
            normalised=self._column("normalised"),
            seconds=self._column("seconds"),
            texts=self._column("texts", object),
            words=self._column("words", np.int64),
        )

    @cached_property
    def documents(self) -> Documents:
        anchors = np.zeros(int(self.offsets[-1]), dtype=bool)
        for topic, start in zip(self.topics, self.offsets, strict=False):
            anchors[[start + place for place in (topic.h_k, topic.n_k) if place >= 0]] = True
        return Documents(
            topics=np.repeat(np.arange(len(self.topics)), np.diff(self.offsets)),
            gains=self._column("gains"),
            counts=self._column("counts", np.int64),
            labels=self._column("labels"),
            is_anchor=anchors,
        )

    @cached_property
    def units(self) -> Units:
        sizes = [len(topic.scores) for topic in self.topics]
        rows = np.unique(topics.units_of_rows(self.topics), return_index=True)[1]  # the firsts
        names = "workers", "assignments", "numbers", "failed", "earlier"
        return Units(
            topics=np.repeat(np.arange(len(self.topics)), sizes)[rows],
            finished=self._column("finished")[rows],
            **{name: self._column(name, np.int64)[rows] for name in names},
        )

    def _column(self, name: str, kind: type[Any] = np.float64) -> NDArray[Any]:
        """An array of every topic, flat, one after the other."""
        columns = [getattr(topic, name).ravel() for topic in self.topics]
        return np.concatenate([np.empty(0, dtype=kind), *columns])

    @cached_property
    def offsets(self) -> Ints:
        """The number of each topic's first item, and of all items."""
        return np.cumsum([0, *(len(topic.doc_ids) for topic in self.topics)])

    @cached_property
    def levels(self) -> list[float]:
        """The levels that labels of judged pairs have, lowest first."""
        levels = np.unique(self.documents.labels[self.documents.counts > 0])
        return [float(level) for level in levels[~np.isnan(levels)]]

    @cached_property
    def unlabelled(self) -> int:
        """Judged documents without a label that count as 0 if the study has it so; no anchors."""
        return sum(int(topic.may_be_zero.sum()) for topic in self.topics)

    @cached_property
    def with_zeros(self) -> "StudyData":
        """The study as pairs, orders of systems and gains of labels take it; else as it is.

        Where a study has it so, and there are some, unlabelled documents count as 0.
        """
        if not (self.study.unlabelled_as_zero and self.unlabelled):
            return self
        return replace(self, topics=[topic.with_zeros() for topic in self.topics])

    def by_label_set(self, name: str) -> "StudyData":
        """The same with another label set of the collection."""
        topics = [topic.by_label_set(name) for topic in self.topics]
        return replace(self, label_set=name, topics=topics)

    @property
    def unit_size(self) -> int:
        """Documents of a row of `TopicData`: of a unit, or one that was judged elsewhere."""
        return 1 if self.study.is_imported else self.study.unit_size

    @property
    def has_anchors(self) -> bool:
        """Whether every unit holds an H_k and an N_k."""
        return not self.study.is_imported

    def by_topic(self, of_units: Mask) -> dict[str, Mask]:
        """An array over the units of all topics, by query id."""
        parts = np.split(of_units, np.cumsum([topic.n_units for topic in self.topics])[:-1])
        return {topic.query_id: part for topic, part in zip(self.topics, parts, strict=True)}

    @cached_property
    def lists(self) -> list[Codes]:
        """Of each topic every run to its end, (r, ranks), codes as in `TopicData.lists`."""
        return list(map(self.whole_lists, self.topics))

    def whole_lists(self, topic: TopicData, by_rank: bool = False) -> Codes:
        """Of one topic every run to its end, in the order of scores or of the rank field."""
        return self.collected.lists(topic.key, by_rank) if self.collected else topic.lists

    @cached_property
    def lengths(self) -> list[Floats]:
        """Of each topic the words of documents, by code; NaN where not known, and at the end."""
        pairs = list(zip(self.topics, self.lists, strict=True))
        if self.collected is None:
            return [
                np.full(max(lists.max(initial=-1), topic.codes.max()) + 2, np.nan)
                for topic, lists in pairs
            ]
        return [self.collected.words(topic.key, topic.codes, lists) for topic, lists in pairs]

    @cached_property
    def opinions(self) -> Opinions:
        """Every opinion in levels, topic by topic in the order in which they came.

        Magnitudes are cut into four; a topic whose H_k has no more gain than its N_k has none.
        """
        topics, judgments = self.documents.topics, self.judgments
        if parts := self._given_elsewhere:
            starts = np.repeat(self.offsets[:-1], [len(part.levels) for part in parts])
            places, levels, judges = (
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("places", "levels", "judges")
            )
            size = len(self.study.levels)
            return Opinions(places + starts, levels, judges, size, topics, self.names)
        if not self.study.is_graded:
            return self.magnitudes.opinions
        levels = judgments.scores.astype(np.int64)
        return Opinions(
            judgments.items, levels, judgments.workers, len(self.study.levels), topics, self.names
        )

    @cached_property
    def magnitudes(self) -> Scores:
        """Every magnitude that was given, with the gains of the topics' anchors."""
        judgments, documents = self.judgments, self.documents
        n_k, h_k = np.array([topic.anchor_gains for topic in self.topics]).reshape(-1, 2).T
        return Scores(
            judgments.items,
            judgments.normalised,
            judgments.workers,
            documents.topics,
            n_k,
            h_k,
            documents.gains,
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
    def _given_elsewhere(self) -> list[TopicOpinions]:
        return [topic.opinions for topic in self.topics if topic.opinions]

    def _marks(self, name: str) -> Texts:
        parts = [getattr(part, name) for part in self._given_elsewhere]
        return np.concatenate(parts) if parts else np.full(len(self.judgments), "", dtype=object)

    def justifications(self, judgments: Ints) -> list[str]:
        """Those of some judgments, by row, read when asked for; empty where judged elsewhere."""
        if self.study.is_imported:
            return [""] * len(judgments)
        units = self.judgments.units[judgments]
        positions = self.judgments.positions[judgments]
        return self.ask_justifications(self.units.assignments[units], positions)

    def unit_name(self, unit: int) -> str:
        """A unit, by row, as exports name it."""
        return self.topics[int(self.units.topics[unit])].unit_name(int(self.units.numbers[unit]))

    def pair_name(self, item: int) -> tuple[str, str]:
        """Topic and document of an item."""
        number = int(self.documents.topics[item])
        topic = self.topics[number]
        return topic.query_id, topic.doc_ids[item - self.offsets[number]]


@results.snapshot()
def load(
    study: Study, label_set: str = "", seed: int = SEED, tries: int | None = None
) -> StudyData:
    """Read a study; labels are those of the named set, or of the one its anchors come from.

    tries: only units completed within so many presses of Finish are read; gains are theirs alone.
    """
    # Anew, so that no setting is older than a version that was taken before.
    study = Study.objects.select_related("collection").get(pk=study.pk)
    name = label_set or study.labels
    sets = LabelSet.objects.filter(collection=study.collection_id).order_by("name")
    labels = next((each for each in sets if each.name == name), None)
    others = [each for each in sets if each.name != name]
    runs, tags = completed.runs(study)
    ordered_later = batches_after_ranking(study)
    judged = topics.judged(study, tries)
    earlier, workers = topics.experience([each.circumstances for each in judged])
    about = other_studies.about(study)
    pseudonyms = dict(Worker.objects.filter(study=study).values_list("id", "pseudonym"))
    return StudyData(
        study,
        labels.name if labels else "",
        [
            topics.read(each, before, workers, labels, others, runs)
            for each, before in zip(judged, earlier, strict=True)
        ],
        tags,
        [pseudonyms[int(key)] for key in workers],
        seed,
        others=other_studies.read(study),
        collected=Collected(study, runs),
        topics_there=study.collection.topics.count(),
        topics_of_study=study.topics.count(),
        interim=interim(study),
        ordered_later=ordered_later,
        planned_end=planned_end.read(study, ordered_later),
        about=load(about, name, seed, tries) if about else None,
    )
