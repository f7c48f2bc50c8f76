"""What is in a collection: topics, documents, labels, runs, and how these go together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Exists, OuterRef
from django.db.models.functions import Length
from numpy.typing import NDArray

from judging.collections import vocabulary
from judging.completed.lists import rankings
from judging.models import Collection, Document, Label, LabelSet, RankedList, Run, Topic

FIRST = 10  # documents of each list that are held against those of other runs


class LevelCount(NamedTuple):
    """How many documents a label set gives a level."""

    level: float
    labels: int


@dataclass(frozen=True)
class LabelsIn:
    """A label set: its levels, how many topics it has, and how many documents without a text."""

    name: str
    levels: list[LevelCount]
    topics: int
    without_text: int

    @property
    def labels(self) -> int:
        return sum(count.labels for count in self.levels)


@dataclass(frozen=True)
class RunIn:
    """A run: its topics, how long its lists are, and what of their beginnings others have too.

    shared: the share, from 0 to 1, of its first FIRST documents that another run has among its
    first FIRST, in the mean over its topics; NaN of a run without lists.
    """

    tag: str
    topics: int
    shortest: int
    median: float
    longest: int
    shared: float

    @property
    def shared_percent(self) -> float | None:
        """For pages: none of a run without lists."""
        return None if np.isnan(self.shared) else 100 * self.shared


@dataclass(frozen=True)
class Content:
    """What is in a collection. pooled, pooled_without_text: of the first FIRST of all lists."""

    documents: int
    topics: Sequence[Topic]  # each with list_count, of the runs that have a list for it
    label_sets: list[LabelsIn]
    runs: list[RunIn]
    pooled: int
    pooled_without_text: int


def content(collection: Collection) -> Content:
    """Look through a collection."""
    runs = list(Run.objects.filter(collection=collection).order_by("tag"))
    topics = list(collection.topics.annotate(list_count=Count("lists")).order_by("query_id"))
    shared, pooled = _beginnings(topics, [run.pk for run in runs])
    texts = Document.objects.filter(collection=collection)
    return Content(
        documents=texts.count(),
        topics=topics,
        label_sets=[_labels(each) for each in collection.label_sets.order_by("name")],
        runs=_runs(runs, shared),
        pooled=len(pooled),
        pooled_without_text=len(pooled) - texts.filter(doc_id__in=pooled).count(),
    )


def _labels(label_set: LabelSet) -> LabelsIn:
    labels = Label.objects.filter(label_set=label_set)
    text = Document.objects.filter(collection=label_set.collection_id, doc_id=OuterRef("doc_id"))
    counts = labels.values_list("level").annotate(n=Count("pk")).order_by("level")
    return LabelsIn(
        name=label_set.name,
        levels=[LevelCount(level, n) for level, n in counts],
        topics=labels.aggregate(n=Count("topic", distinct=True))["n"],
        without_text=labels.filter(~Exists(text)).aggregate(n=Count("doc_id", distinct=True))["n"],
    )


def _runs(runs: list[Run], shared: NDArray[np.float64]) -> list[RunIn]:
    sizes: dict[int, list[int]] = {run.pk: [] for run in runs}
    lists = RankedList.objects.filter(run__in=sizes).annotate(size=Length("codes"))
    for run, size in lists.values_list("run", "size"):
        sizes[run].append(size // vocabulary.CODE_BYTES)
    return [
        RunIn(
            run.tag,
            len(sizes[run.pk]),
            min(sizes[run.pk], default=0),
            float(np.median(sizes[run.pk])) if sizes[run.pk] else 0.0,
            max(sizes[run.pk], default=0),
            float(share),
        )
        for run, share in zip(runs, shared, strict=True)
    ]


def _beginnings(
    topics: Sequence[Topic], run_keys: list[int]
) -> tuple[NDArray[np.float64], set[str]]:
    """Of each run, the share of its first documents that others have; and all of these documents.

    The share is (runs,), NaN of a run without lists.
    """
    total, lists = np.zeros(len(run_keys)), np.zeros(len(run_keys))
    pooled: set[str] = set()
    for topic in topics:
        codes = rankings(topic.pk, run_keys, FIRST)
        there = codes >= 0
        unique, place, runs_with = np.unique(codes, return_inverse=True, return_counts=True)
        by_others = (runs_with[place.reshape(codes.shape)] > 1) & there
        has_list = there.any(axis=1)
        total[has_list] += by_others.sum(axis=1)[has_list] / there.sum(axis=1)[has_list]
        lists += has_list
        ids = vocabulary.read(topic) if len(unique) else []
        pooled |= {ids[code] for code in unique if code >= 0}
    with np.errstate(invalid="ignore"):
        return total / lists, pooled
