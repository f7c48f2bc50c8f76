"""From runs to a pool, from a pool to units.

A plan is made as a whole, in one transaction, and may be repeated until the study opens. Everything
random comes from the one recorded seed and the topic's number, so that a topic's draw does not
depend on the other topics.
"""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db import transaction
from django.db.models.functions import Length

from accounts.models import User
from judging.collections import vocabulary
from judging.collections.cleaning import LONGEST
from judging.models import (
    Document,
    PooledDocument,
    Study,
    StudyTopic,
    Unit,
)
from judging.studies.drawing import draw_units, units_needed
from judging.studies.locks import lock_study
from judging.studies.setup import pooling
from judging.studies.setup.anchors import contradictions, levels_of
from judging.studies.setup.changing import locked_draft
from judging.studies.setup.versions import record_change
from judging.studies.units import keep_units, number_of
from trec.parsing.fields import LARGEST_RANK

Role = PooledDocument.Role


class CannotPlan(ValueError):
    """The study cannot be planned; the message names the topic and says what is wanted."""


@dataclass
class Plan:
    """What was planned."""

    seed: int
    documents: int = 0
    units: int = 0
    largest_topic: int = 0
    warnings: list[str] = field(default_factory=list)


@transaction.atomic
def plan(
    study: Study,
    *,
    depth: int | None = None,
    pool_by: str | None = None,
    seed: int | None = None,
    by: User | None = None,
) -> Plan:
    """Pool the documents of every topic of `study` and draw its units.

    Args:
        depth: how many documents of each run; the study's own pool depth if None.
        pool_by: `rank`: rank field at most `depth`, as written; `order`: the first `depth` in
            the order in which runs are evaluated; the study's own if None, and else `rank`.
        seed: of all draws; a fresh one if None.
        by: who plans.

    Raises:
        CannotPlan: the study is open, or topics have no anchors or too few documents; each line
            of the message names one.
    """
    # Runs and labels stay as they are while the pool is made of them.
    locked = lock_study(study.slug)
    if locked is None:
        raise CannotPlan(f"There is no study {study}.")
    study = locked
    if study.is_imported:
        raise CannotPlan(f"Study {study} was judged elsewhere: it has no units.")
    if study.stage != Study.Stage.DRAFT:
        raise CannotPlan(f"Study {study} is {study.stage}: its pool and units are frozen.")
    study.pool_depth = study.pool_depth if depth is None else depth
    study.pool_by = pool_by or study.pool_by or pooling.DEFAULT_BY
    study.plan_seed = secrets.randbits(53) if seed is None else seed
    if not (1 <= study.pool_depth < 2**31 and 0 <= study.plan_seed < 2**63):
        raise CannotPlan(
            f"Pool depth {study.pool_depth}, seed {study.plan_seed}; expected a depth of 1 to "
            f"{2**31 - 1} and a seed of 0 to {2**63 - 1}."
        )
    study.save(update_fields=["pool_depth", "pool_by", "plan_seed"])
    topics = list(study.topics.select_related("topic").order_by("topic__query_id"))
    if not topics:
        raise CannotPlan(f"Study {study} has no topics.")
    so_far = Plan(seed=study.plan_seed)
    delete_plan(study)
    wrong = []
    for topic in topics:
        try:
            _plan_topic(study, topic, so_far)
        except CannotPlan as fault:
            wrong.append(str(fault))
    if wrong:
        raise CannotPlan("\n".join(wrong))
    record_change(study, by, "planned", seed=study.plan_seed, units=so_far.units)
    return so_far


@transaction.atomic
def discard_plan(slug: str, by: User | None, version: int | None = None) -> Study:
    """Delete the units of a draft, so that what they were made of can change.

    Anchors that were drawn go with them, since the next plan draws again; those chosen stay.

    Raises:
        BadStudy: the study is no draft.
        Changed: somebody else was faster.
    """
    study = locked_draft(slug, version)
    units, _ = delete_plan(study)
    study.topics.filter(anchors_drawn=True).update(h_k="", n_k="", anchors_drawn=False)
    if units:
        record_change(study, by, "discarded the plan", units=units)
    return study


def delete_plan(study: Study) -> tuple[int, int]:
    """Delete the units and the pool of a locked draft. Returns how many units and documents."""
    units = Unit.objects.filter(study=study)
    documents = PooledDocument.objects.filter(study_topic__study=study)
    numbers = units.count(), documents.count()
    units.delete()
    documents.delete()
    return numbers


def _plan_topic(study: Study, topic: StudyTopic, so_far: Plan) -> None:
    name = topic.topic.query_id
    rng = np.random.default_rng([study.plan_seed or 0, number_of(name)])
    levels = levels_of(study, topic)
    pool = set(topic.pool) or pooling.pool(topic, study.pool_depth, study.pool_by)
    if topic.anchors_drawn or not (topic.h_k and topic.n_k):
        so_far.warnings += _draw_anchors(study, topic, pool, levels, rng)
    else:
        so_far.warnings += contradictions(topic, levels)
    pool |= {topic.h_k, topic.n_k}
    if len(pool) < study.unit_size:
        raise CannotPlan(
            f"Topic {name} has {len(pool)} documents in its pool, but a unit holds "
            f"{study.unit_size}: pool deeper, add runs, or make the units smaller."
        )
    others = _ordered(pool - {topic.h_k, topic.n_k})
    pooled = _keep_pool(study, topic, [topic.h_k, topic.n_k, *others])
    so_far.warnings += _cut_documents(topic)
    units = _keep_units(study, topic, pooled, rng)
    so_far.documents += len(pool)
    so_far.units += units
    so_far.largest_topic = max(so_far.largest_topic, units)


def _draw_anchors(
    study: Study,
    topic: StudyTopic,
    pool: set[str],
    levels: dict[str, float],
    rng: np.random.Generator,
) -> list[str]:
    """Choose H_k among the documents labelled highest, N_k among those labelled zero or less.

    Returns a warning where N_k has no label, which the study must allow.
    """
    labelled = {doc_id: levels[doc_id] for doc_id in _ordered(pool & levels.keys())}
    highest = max(labelled.values(), default=0)
    relevant = [doc_id for doc_id, level in labelled.items() if level == highest > 0]
    irrelevant = [doc_id for doc_id, level in labelled.items() if level <= 0]
    has_label = bool(irrelevant)
    if study.unlabelled_n_k and not has_label:
        irrelevant = _without_label(study, topic, pool, levels)
    if not (relevant and irrelevant):
        raise CannotPlan(_why_no_anchors(study, topic, bool(relevant)))
    topic.h_k, topic.n_k = str(rng.choice(relevant)), str(rng.choice(irrelevant))
    topic.anchors_drawn = True
    topic.save(update_fields=["h_k", "n_k", "anchors_drawn"])
    if has_label:
        return []
    return [
        f"Topic {topic.topic.query_id}: N_k {topic.n_k} has no label. Somebody must read it, and "
        "find that it is not relevant, before the study opens."
    ]


def _ordered(doc_ids: Iterable[str]) -> list[str]:
    return sorted(doc_ids, key=str.encode)


def _why_no_anchors(study: Study, topic: StudyTopic, has_relevant: bool) -> str:
    missing, way = "relevant", ""
    if has_relevant:
        missing = "irrelevant"
        if not study.unlabelled_n_k:
            way = " Or set unlabelled_n_k = true, to have N_k drawn from documents without a label."
    return (
        f"Topic {topic.topic.query_id} has no document labelled {missing} in its pool, so no "
        f"anchors can be drawn: name h_k and n_k by hand, or pool deeper.{way}"
    )


def _without_label(
    study: Study, topic: StudyTopic, pool: set[str], levels: dict[str, float]
) -> list[str]:
    """The retrieved documents without a label, which may stand for irrelevant ones.

    Those below the pool, if there are any, since runs rank them lower; of these, those with a text,
    if there are any, since workers could not read others.
    """
    retrieved = pooling.pool(topic, LARGEST_RANK, "rank")
    candidates = (retrieved | pool) - levels.keys()
    candidates = candidates - pool or candidates
    known = Document.objects.filter(collection=study.collection_id, doc_id__in=candidates)
    with_text = set(known.values_list("doc_id", flat=True))
    return _ordered(with_text or candidates)


def _cut_documents(topic: StudyTopic) -> list[str]:
    """A warning of documents that workers would not be shown to the end."""
    long = topic.documents.annotate(characters=Length("document__text"))
    doc_ids = list(long.filter(characters__gt=LONGEST).values_list("doc_id", flat=True))
    if not doc_ids:
        return []
    return [
        f"Topic {topic.topic.query_id}: workers would be shown the first {LONGEST:,} characters "
        f"alone of {', '.join(sorted(doc_ids))}."
    ]


def _keep_pool(study: Study, topic: StudyTopic, doc_ids: Sequence[str]) -> list[PooledDocument]:
    """Store the pool; a document that no run names gets a code at the end of the vocabulary."""
    code = vocabulary.extended(topic.topic, doc_ids)
    documents = dict(
        Document.objects.filter(collection=study.collection_id, doc_id__in=doc_ids).values_list(
            "doc_id", "id"
        )
    )
    roles = {topic.h_k: Role.H_K, topic.n_k: Role.N_K}
    return PooledDocument.objects.bulk_create(
        PooledDocument(
            study_topic=topic,
            doc_id=doc_id,
            document_id=documents.get(doc_id),
            code=code[doc_id],
            role=roles.get(doc_id, Role.OTHER),
        )
        for doc_id in doc_ids
    )


def _keep_units(
    study: Study, topic: StudyTopic, pooled: list[PooledDocument], rng: np.random.Generator
) -> int:
    """Draw and store the units of a topic; the pool's first two documents are its anchors."""
    anchors, others = pooled[:2], pooled[2:]
    drawn = draw_units(len(others), study.unit_size - 2, study.redundancy, rng)
    assert len(drawn) == units_needed(len(pooled), study.redundancy, study.unit_size)  # noqa: S101
    return len(keep_units(topic, anchors, [[others[place] for place in row] for row in drawn]))
