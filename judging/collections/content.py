from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import NamedTuple

from django.db.models import BinaryField, Count, Exists, Min, OuterRef
from django.db.models.functions import Length, Substr

from judging.collections import vocabulary
from judging.collections.vocabulary import CODE_BYTES
from judging.models import Collection, Document, Label, LabelSet, RankedList, Run, Topic, Vocabulary

FIRST = 10  # documents of each list that are compared with those of other runs


class LevelCount(NamedTuple):
    level: float
    labels: int


@dataclass(frozen=True)
class LabelSetContent:
    name: str
    levels: list[LevelCount]
    topics: int
    without_text: int

    @property
    def labels(self) -> int:
        return sum(count.labels for count in self.levels)

    @property
    def has_only_relevant(self) -> bool:
        return bool(self.levels) and self.levels[0].level > 0


@dataclass(frozen=True)
class RunContent:
    """shared: the share of its first FIRST documents that are among the first of another run.

    From 0 to 1, averaged over its topics; None of a run without lists.
    """

    tag: str
    topics: int
    shortest: int
    median: float
    longest: int
    shared: float | None

    @property
    def shared_percent(self) -> float | None:
        return None if self.shared is None else 100 * self.shared


@dataclass(frozen=True)
class Content:
    """pooled, pooled_without_text: of the first FIRST documents of all lists."""

    documents: int
    topics: Sequence[Topic]  # each with list_count, of the runs that have a list for it
    label_sets: list[LabelSetContent]
    runs: list[RunContent]
    pooled: int
    pooled_without_text: int


def content(collection: Collection) -> Content:
    topics = collection.topics.annotate(list_count=Count("lists")).order_by("query_id")
    lists = _lists(collection)
    pooled = _pooled(lists)
    texts = collection.documents
    return Content(
        documents=texts.count(),
        topics=list(topics),
        label_sets=[_labels(label_set) for label_set in collection.label_sets.order_by("name")],
        runs=_runs(collection, lists),
        pooled=len(pooled),
        pooled_without_text=len(pooled) - texts.filter(doc_id__in=pooled).count(),
    )


class _List(NamedTuple):
    topic: int
    run: int
    size: int
    first: list[int]


def _lists(collection: Collection) -> list[_List]:
    beginning = Substr("codes", 1, FIRST * CODE_BYTES, output_field=BinaryField())
    rows = RankedList.objects.filter(run__collection=collection).values_list(
        "topic_id", "run_id", Length("codes"), beginning
    )
    return [
        _List(topic, run, size // CODE_BYTES, vocabulary.codes(first).tolist())
        for topic, run, size, first in rows
    ]


def _pooled(lists: list[_List]) -> set[str]:
    codes: dict[int, set[int]] = {}
    for ranked in lists:
        codes.setdefault(ranked.topic, set()).update(ranked.first)
    packed = Vocabulary.objects.filter(topic__in=codes).values_list("pk", "doc_ids")
    return {doc_id for topic, ids in packed for doc_id in vocabulary.doc_ids_of(ids, codes[topic])}


def pooled_ids(collection: Collection) -> set[str]:
    return _pooled(_lists(collection))


def _labels(label_set: LabelSet) -> LabelSetContent:
    labels = Label.objects.filter(label_set=label_set)
    text = Document.objects.filter(collection=label_set.collection_id, doc_id=OuterRef("doc_id"))
    counts, topics = Counter[float](), set[int]()
    for topic, level, n in labels.values_list("topic", "level").annotate(n=Count("pk")):
        topics.add(topic)
        counts[level] += n
    return LabelSetContent(
        name=label_set.name,
        levels=[LevelCount(*of_level) for of_level in sorted(counts.items())],
        topics=len(topics),
        without_text=labels.filter(~Exists(text)).values("doc_id").distinct().count(),
    )


def relevant_only_sets(collection: Collection) -> list[str]:
    lowest = LabelSet.objects.filter(collection=collection).annotate(lowest=Min("labels__level"))
    return list(lowest.filter(lowest__gt=0).order_by("name").values_list("name", flat=True))


def _runs(collection: Collection, lists: list[_List]) -> list[RunContent]:
    n_runs = Counter((ranked.topic, code) for ranked in lists for code in ranked.first)
    of_run: dict[int, list[_List]] = {}
    for ranked in lists:
        of_run.setdefault(ranked.run, []).append(ranked)
    runs = Run.objects.filter(collection=collection).order_by("tag")
    return [_run(run.tag, of_run.get(run.pk, []), n_runs) for run in runs]


def _run(tag: str, lists: list[_List], n_runs: Counter[tuple[int, int]]) -> RunContent:
    """n_runs: how many runs have a document of a topic among their first."""
    sizes = [ranked.size for ranked in lists] or [0]
    shares = [fmean(n_runs[ranked.topic, code] > 1 for code in ranked.first) for ranked in lists]
    return RunContent(
        tag=tag,
        topics=len(lists),
        shortest=min(sizes),
        median=median(sizes),
        longest=max(sizes),
        shared=fmean(shares) if shares else None,
    )
