"""Batches of units beside a study's plan; each can be drawn again from what it stores."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Max, QuerySet
from numpy.typing import NDArray

from accounts.models import User
from judging.models import Assignment, Batch, PooledDocument, Study, StudyTopic, Unit, UnitDocument
from judging.studies import analysis_plan, trail
from judging.studies.conduct.stages import CannotRun, Stage, count_all_judgments, locked_at
from judging.studies.drawing import draw_more, people_needed
from judging.studies.units import number_of, store_units
from web import clock
from web.bounds import bounds

Chosen = Mapping[str, Sequence[str]]  # ids of documents by topic; none: all of the topic


class Size(NamedTuple):
    """How many units a batch has, and how many workers it takes at least."""

    units: int
    workers: int


@dataclass(frozen=True)
class _Topic:
    topic: StudyTopic
    anchors: list[PooledDocument]
    others: list[PooledDocument]
    chosen: list[str]  # none: all

    def is_chosen(self) -> NDArray[np.bool_]:
        ids = set(self.chosen)
        return np.array([not ids or document.doc_id in ids for document in self.others])

    def faults(self) -> list[str]:
        name = f"Topic {self.topic.topic.query_id}"
        anchors = {document.doc_id for document in self.anchors}
        pool = {document.doc_id for document in self.others}
        in_all = [doc_id for doc_id in self.chosen if doc_id in anchors]
        unknown = sorted(set(self.chosen) - anchors - pool)
        return [
            *(f"{name}: {doc_id} is an anchor, which every unit holds." for doc_id in in_all),
            *(f"{name}: {doc_id} is not in its pool." for doc_id in unknown),
        ]


def add_batch(
    study: Study,
    chosen: Chosen | None,
    redundancy: int,
    by: User | None,
    *,
    seed: int | None = None,
    number: int | None = None,
    all_judgments: bool = True,
) -> Batch:
    """Add units, so that `redundancy` more workers judge each chosen document.

    Units hold both anchors as all units do; where fewer documents are chosen than fill one, the
    topic's least used fill it. Their numbers go on from those of the plan.

    chosen: document ids by topic, none of a topic for all of them; None: all topics. seed: of the
    draw, by default a fresh one. number: that the batch is to have; if there is such a batch of the
    same documents it is returned, so that asking twice makes one. all_judgments: all judgments of
    the study count from now on, those beyond its redundancy too; False: as before.

    Raises CannotRun: the study is neither open nor paused, or there are no such topics or
    documents; each line of the message names one.
    """
    with locked_at(study, Stage.OPEN, Stage.PAUSED, todo="have another batch") as study:
        topics = _topics(study, chosen)
        _check(redundancy, seed)
        wanted = {each.topic.topic.query_id: sorted(each.chosen) for each in topics}
        if batch := _existing_batch(study, number, wanted, redundancy):
            return batch
        batch = Batch.objects.create(
            study=study,
            number=next_number(study),
            seed=secrets.randbits(53) if seed is None else seed,
            redundancy=redundancy,
            chosen=wanted,
            made_at=clock.now(),
            after_ranking=analysis_plan.ranking_is_visible(study),
        )
        units = sum(len(_draw(study, each, batch)) for each in topics)
        n_documents = {topic: len(ids) or "all" for topic, ids in wanted.items()}
        what = {"number": batch.number, "redundancy": redundancy, "documents": n_documents}
        when = {"after_ranking": True} if batch.after_ranking else {}
        trail.record(study, by, "added batch", units=units, **what, **when)
        if all_judgments:
            count_all_judgments(study, True, by)
    return batch


def size_of(study: Study, chosen: Chosen | None, redundancy: int) -> Size:
    """Nothing is stored. Raises CannotRun if there are no such topics or documents."""
    _check(redundancy, None)
    room = study.unit_size - 2
    sizes = [
        max(redundancy, -(-len(each.chosen or each.others) * redundancy // room))
        for each in _topics(study, chosen)
    ]
    return Size(sum(sizes), people_needed(sizes, study.max_units_each(len(sizes))))


def next_number(study: Study) -> int:
    last: int | None = study.batches.aggregate(n=Max("number"))["n"]
    return (last or 0) + 1


def short_of_judgments(study: Study) -> dict[str, list[str]]:
    """The documents that will have fewer judgments than planned, by topic, in their order.

    They lack those of excluded workers, whose units are not judged again; units that are still to
    be judged count as if they were.
    """
    excluded = Assignment.objects.completed().filter(study=study, worker__excluded_at__isnull=False)
    lost = list(excluded.values_list("unit", flat=True))
    names = ("study_topic__topic__query_id", "doc_id")
    others = PooledDocument.objects.filter(role=PooledDocument.Role.OTHER, unit__in=lost)
    affected = others.distinct().order_by(*names).values_list("pk", *names)
    stays = UnitDocument.objects.filter(document__in=[key for key, *_ in affected])
    uses = _uses(stays.exclude(unit__in=lost))
    short: dict[str, list[str]] = {}
    for key, query_id, doc_id in affected:
        if uses.get(key, 0) < study.redundancy:
            short.setdefault(query_id, []).append(doc_id)
    return short


def _uses(places: QuerySet[UnitDocument]) -> dict[int, int]:
    """By document, in how many of these units it is."""
    return dict(places.values_list("document").annotate(n=Count("pk")).order_by())


def _check(redundancy: int, seed: int | None) -> None:
    for name, value in (("redundancy", redundancy), ("seed", 0 if seed is None else seed)):
        if value not in (allowed := bounds(Batch, name)):
            raise CannotRun(allowed.refuse(value), field=name)


def _topics(study: Study, chosen: Chosen | None) -> list[_Topic]:
    topics = study.topics.select_related("topic").order_by("topic__query_id")
    by_number = {topic.topic.query_id: topic for topic in topics}
    wanted = dict.fromkeys(by_number, ()) if chosen is None else chosen
    wrong = [f"Study {study} has no topic {name}." for name in wanted if name not in by_number]
    if not wanted:
        wrong = ["No topic is chosen; expected one at least."]
    read = [_read(by_number[name], wanted[name]) for name in by_number if name in wanted]
    wrong += [fault for each in read for fault in each.faults()]
    if wrong:
        raise CannotRun(*wrong, field="documents")
    return read


def _read(topic: StudyTopic, chosen: Sequence[str]) -> _Topic:
    pooled, other = topic.documents.order_by("pk"), PooledDocument.Role.OTHER
    anchors = [document for document in pooled if document.role != other]
    others = [document for document in pooled if document.role == other]
    return _Topic(topic, anchors, others, sorted(set(chosen)))


def _existing_batch(
    study: Study, number: int | None, wanted: dict[str, list[str]], redundancy: int
) -> Batch | None:
    """None: the number is the next. Raises CannotRun if it has another batch, or comes later."""
    following = next_number(study)
    if number is None or number == following:
        return None
    batch = Batch.objects.filter(study=study, number=number).first()
    if batch is None or (batch.chosen, batch.redundancy) != (wanted, redundancy):
        has = f"there is another batch {number}" if batch else f"there is no batch {number} yet"
        raise CannotRun(f"Meanwhile {has}: the next is {following}. Look again.", field="number")
    return batch


def _draw(study: Study, each: _Topic, batch: Batch) -> list[Unit]:
    uses = _uses(UnitDocument.objects.filter(unit__study_topic=each.topic))
    rng = np.random.default_rng([batch.seed, batch.number, number_of(each.topic.topic.query_id)])
    rows = draw_more(
        np.array([uses.get(document.pk, 0) for document in each.others]),
        each.is_chosen(),
        study.unit_size - len(each.anchors),
        batch.redundancy,
        rng,
    )
    drawn = [[each.others[place] for place in row] for row in rows]
    return store_units(each.topic, each.anchors, drawn, batch)
