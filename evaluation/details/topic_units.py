"""The completed units of a topic: the rows behind its numbers of scores, its seconds and shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.details.one_topic import Judged
from judging.models import Assignment, Judgment, StudyTopic
from magnitudes.agreement.units import unit_agreement


@dataclass(frozen=True)
class Unit:
    """A completed unit; agreement: of its pairs with the labels, without anchors, None: no pair."""

    key: int  # of the assignment
    name: str  # as exports have it
    worker: str
    agreement: float | None
    seconds: list[float]  # on its documents, in the order shown
    back_steps: int
    failed_finishes: int
    is_planned: bool  # else it is of a batch

    @property
    def number(self) -> int:
        return int(self.name.rpartition("-")[2])

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))


@dataclass(frozen=True)
class Made:
    """What the units of a topic come to; None: there is nothing that could."""

    scores: int
    seconds: float | None  # the median over all documents of all units
    agreement: float | None  # the mean over units with a pair
    with_pair: int


def zeros(topic: StudyTopic, pool: Sequence[Judged]) -> set[str]:
    """The judged documents without a label that count as 0 beside labels; no anchors."""
    if not topic.study.unlabelled_as_zero or all(one.label is None for one in pool):
        return set()
    return {one.doc_id for one in pool if one.label is None and one.scores and not one.anchor}


def units(topic: StudyTopic, pool: Sequence[Judged]) -> list[Unit]:
    """The units that workers who are not excluded completed, in the order in which they ended.

    pool: the documents of the topic, with the labels that units are held against.
    """
    done = Assignment.objects.completed().not_excluded().filter(study_topic=topic)
    rows = list(done.select_related("unit", "worker").order_by("finished_at", "pk"))
    labels = {one.doc_id: one.label for one in pool if one.label is not None and not one.anchor}
    agreement = _agreement(rows, labels | dict.fromkeys(zeros(topic, pool), 0.0))
    return [
        Unit(
            *(row.pk, f"{topic.topic.query_id}-{row.unit.number}", row.worker.pseudonym),
            agreement=agreement.get(row.pk),
            seconds=row.seconds or [],
            back_steps=row.back_steps,
            failed_finishes=row.failed_finishes,
            is_planned=row.unit.batch_id is None,
        )
        for row in rows
    ]


def _agreement(rows: Sequence[Assignment], labels: Mapping[str, float]) -> dict[int, float]:
    """The share of each unit's pairs in the labels' order, where it has a pair."""
    keys = [row.pk for row in rows]
    given = (
        Judgment.objects.filter(assignment__in=keys)
        .order_by("assignment", "position")
        .values_list("assignment", "score", "document__doc_id")
    )
    of_unit: dict[int, list[tuple[float, float]]] = {key: [] for key in keys}
    for key, score, doc_id in given:
        of_unit[key].append((np.nan if score is None else score, labels.get(doc_id, np.nan)))
    table = np.array([*of_unit.values()], dtype=np.float64)
    if not table.size:
        return {}
    shares = unit_agreement(table[..., 0], table[..., 1]).shares
    known = ~np.isnan(shares)
    return dict(zip(np.array(keys)[known].tolist(), shares[known].tolist(), strict=True))


def made(units: Sequence[Unit]) -> Made:
    """What stands for all units in lists of topics."""
    seconds = [each for unit in units for each in unit.seconds]
    shares = [unit.agreement for unit in units if unit.agreement is not None]
    return Made(
        len(seconds),
        float(np.median(seconds)) if seconds else None,
        float(np.mean(shares)) if shares else None,
        len(shares),
    )
