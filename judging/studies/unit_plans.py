"""From runs to a pool, from a pool to units.

A plan is made as a whole, in one transaction, and may be repeated until the study opens. Everything
random comes from the one recorded seed and the topic's number, so that a topic's draw does not
depend on the other topics.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db import transaction
from django.db.models.functions import Length

from accounts.models import User
from judging.collections import vocabulary
from judging.collections.cleaning import MAX_LENGTH
from judging.models import Document, PlanJob, PooledDocument, Study, StudyTopic, Unit
from judging.models.study import DEFAULT_CUTOFF, MIN_CUTOFF
from judging.studies.configuration import pooling
from judging.studies.configuration.anchors import contradictions, levels_of
from judging.studies.configuration.changing import locked_draft
from judging.studies.configuration.versions import record_change
from judging.studies.drawing import draw_units, people_needed, units_needed
from judging.studies.locks import lock_study
from judging.studies.units import number_of, store_units
from magnitudes.files.parsing.fields import LARGEST_RANK
from web.bounds import bounds

Role = PooledDocument.Role
MAX_UNITS = 100_000  # of a plan


class CannotPlan(ValueError):
    """The study cannot be planned; the message names the topic and what is expected."""


@dataclass
class Plan:
    seed: int
    documents: int = 0
    units: int = 0
    largest_topic: int = 0
    workers: int = 0  # at least
    pooled_to: int = 0
    cutoff: int | None = None
    warnings: list[str] = field(default_factory=list)
    of_topics: list[int] = field(default_factory=list)  # units


@dataclass
class _Pool:
    topic: StudyTopic
    others: list[str]
    units: int
    pooled_to: int
    rng: np.random.Generator


def validate_plan(
    study: Study, *, depth: int | None = None, pool_by: str | None = None, seed: int | None = None
) -> None:
    """Refuse what cannot be planned whatever the pools hold; arguments as of `plan`."""
    if study.is_imported:
        raise CannotPlan(f"Study {study} was judged elsewhere: it has no units.")
    if study.stage != Study.Stage.DRAFT:
        raise CannotPlan(f"Study {study} is {study.stage}: its pool and units are frozen.")
    for name, value in (("pool_depth", depth), ("plan_seed", seed)):
        if value is not None and value not in (allowed := bounds(Study, name)):
            raise CannotPlan(f"{name}: {allowed.refuse(value)}")
    if not study.topics.exists():
        raise CannotPlan(f"Study {study} has no topics.")


@transaction.atomic
def plan(
    study: Study,
    *,
    depth: int | None = None,
    pool_by: str | None = None,
    seed: int | None = None,
    by: User | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Plan:
    """Pool the documents of every topic of `study` and draw its units.

    depth: documents of each run, by default the study's. pool_by: `rank`: rank field at most
    `depth`, as written; `order`: the first `depth` in evaluation order; by default the study's, and
    else `rank`. seed: of all draws, by default a fresh one. progress: called with the share of the
    work that is done.

    Raises CannotPlan: the study is open, topics have no anchors or too few documents, or there
    would be more than `MAX_UNITS` units; each line of the message names one.
    """
    # Runs and labels stay as they are while the pool is made of them.
    locked = lock_study(study.slug)
    if locked is None:
        raise CannotPlan(f"There is no study {study}.")
    study = locked
    validate_plan(study, depth=depth, seed=seed)
    study.pool_depth = study.pool_depth if depth is None else depth
    study.pool_by = pool_by or study.pooled_by
    study.plan_seed = secrets.randbits(53) if seed is None else seed
    study.save(update_fields=["pool_depth", "pool_by", "plan_seed"])
    result = Plan(seed=study.plan_seed)
    delete_plan(study)
    pools = _pools(study, result)
    if (units := sum(each.units for each in pools)) > MAX_UNITS:
        raise CannotPlan(
            f"{units:,} units are asked for; a plan has at most {MAX_UNITS:,}. Lower the judgments "
            f"of each document (redundancy, now {study.redundancy}) or the depth of the pool "
            f"(pool_depth, now {study.pool_depth}), raise the documents in a unit (unit_size, now "
            f"{study.unit_size}), or choose fewer topics."
        )
    for number, each in enumerate(pools, 1):
        _store(study, each, result)
        progress(number / len(pools))
    study.pooled_to = result.pooled_to = min(each.pooled_to for each in pools)
    study.save(update_fields=["pooled_to"])
    result.cutoff = study.used_cutoff
    result.workers = people_needed(result.of_topics, study.max_units_each(len(pools)))
    result.warnings += cutoff_warnings(study)
    record_change(study, by, "planned", seed=study.plan_seed, units=result.units)
    return result


def cutoff_warnings(study: Study) -> list[str]:
    pooled_to = study.pooled_to
    if pooled_to is None or pooled_to >= (study.cutoff or DEFAULT_CUTOFF):
        return []
    pools = f"The pools hold every run to rank {pooled_to}"
    deeper = "pool deeper to compare them further down."
    if study.cutoff is not None:
        return [f"{pools}, but systems are compared to rank {study.cutoff}: {deeper}"]
    if study.used_cutoff is None:
        few = f"too few to rank systems unless a measure is asked for (it takes {MIN_CUTOFF})"
        return [f"{pools}, {few}: {deeper}"]
    return [f"{pools}, so systems are compared to rank {study.used_cutoff}: {deeper}"]


def _pools(study: Study, result: Plan) -> list[_Pool]:
    pools, wrong = [], []
    for topic in study.topics.select_related("topic").order_by("topic__query_id"):
        try:
            pools.append(_pool_topic(study, topic, result))
        except CannotPlan as fault:
            wrong.append(str(fault))
    if wrong:
        raise CannotPlan("\n".join(wrong))
    return pools


@transaction.atomic
def discard_plan(slug: str, by: User | None, version: int | None = None) -> Study:
    """Delete the units of a draft, so that what they were made of can change.

    Anchors that were drawn and that nobody has read go with them, since the next plan draws again.
    Raises BadStudy if the study is no draft.
    """
    study = locked_draft(slug, version)
    PlanJob.objects.filter(study=study).delete()
    units, _ = delete_plan(study)
    drawn = study.topics.filter(anchors_drawn=True, anchors_unread=True)
    drawn.update(h_k="", n_k="", anchors_drawn=False, anchors_unread=False)
    if units:
        record_change(study, by, "discarded the plan", units=units)
    return study


def delete_plan(study: Study) -> tuple[int, int]:
    """Of a locked draft; returns how many units and documents."""
    units = Unit.objects.filter(study=study)
    documents = PooledDocument.objects.filter(study_topic__study=study)
    numbers = units.count(), documents.count()
    units.delete()
    documents.delete()
    return numbers


def _pool_topic(study: Study, topic: StudyTopic, result: Plan) -> _Pool:
    name = topic.topic.query_id
    rng = np.random.default_rng([study.plan_seed or 0, number_of(name)])
    levels = levels_of(study, topic)
    pool = set(topic.pool) or pooling.pool(topic, study.pool_depth, study.pool_by)
    if topic.anchors_are_replaceable or not (topic.h_k and topic.n_k):
        result.warnings += _draw_anchors(study, topic, pool, levels, rng)
    else:
        result.warnings += [] if topic.anchors_reason else contradictions(topic, levels)
    pool |= {topic.h_k, topic.n_k}
    if len(pool) < study.unit_size:
        raise CannotPlan(
            f"Topic {name} has {len(pool)} documents in its pool, but a unit holds "
            f"{study.unit_size}: pool deeper, add runs, or make the units smaller."
        )
    units = units_needed(len(pool), study.redundancy, study.unit_size)
    others = _ordered(pool - {topic.h_k, topic.n_k})
    return _Pool(topic, others, units, pooling.pooled_to(topic, pool, study.pool_by), rng)


def _store(study: Study, pool: _Pool, result: Plan) -> None:
    topic = pool.topic
    pooled = _store_pool(study, topic, [topic.h_k, topic.n_k, *pool.others])
    result.warnings += _cut_documents(topic)
    units = _store_units(study, topic, pooled, pool.rng)
    result.documents += len(pooled)
    result.units += units
    result.largest_topic = max(result.largest_topic, units)
    result.of_topics.append(units)


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
    topic.anchors_drawn = topic.anchors_unread = True
    topic.anchors_reason = ""
    topic.save(update_fields=["h_k", "n_k", "anchors_drawn", "anchors_unread", "anchors_reason"])
    if has_label:
        return []
    return [
        f"Topic {topic.topic.query_id}: the irrelevant anchor {topic.n_k} has no label. Somebody "
        "must read it, and find that it is not relevant, before the study opens."
    ]


def _ordered(doc_ids: Iterable[str]) -> list[str]:
    return sorted(doc_ids, key=str.encode)


def _why_no_anchors(study: Study, topic: StudyTopic, has_relevant: bool) -> str:
    missing, tip = "irrelevant" if has_relevant else "relevant", ""
    if has_relevant and not study.unlabelled_n_k:
        tip = (
            " Or set unlabelled_n_k = true, to have irrelevant anchors drawn from documents "
            "without a label."
        )
    return (
        f"Topic {topic.topic.query_id} has no document labelled {missing} in its pool, so no "
        f"anchors can be drawn: name h_k and n_k by hand, or pool deeper.{tip}"
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
    existing = Document.objects.filter(collection=study.collection_id, doc_id__in=candidates)
    with_text = set(existing.values_list("doc_id", flat=True))
    return _ordered(with_text or candidates)


def _cut_documents(topic: StudyTopic) -> list[str]:
    long = topic.documents.annotate(characters=Length("document__text"))
    doc_ids = list(long.filter(characters__gt=MAX_LENGTH).values_list("doc_id", flat=True))
    if not doc_ids:
        return []
    return [
        f"Topic {topic.topic.query_id}: workers would be shown the first {MAX_LENGTH:,} characters "
        f"alone of {', '.join(sorted(doc_ids))}."
    ]


def _store_pool(study: Study, topic: StudyTopic, doc_ids: Sequence[str]) -> list[PooledDocument]:
    """A document that no run names gets a code at the end of the vocabulary."""
    code = vocabulary.extend(topic.topic, doc_ids)
    texts = Document.objects.filter(collection=study.collection_id, doc_id__in=doc_ids)
    documents = dict(texts.values_list("doc_id", "id"))
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


def _store_units(
    study: Study, topic: StudyTopic, pooled: list[PooledDocument], rng: np.random.Generator
) -> int:
    """The pool's first two documents are its anchors."""
    anchors, others = pooled[:2], pooled[2:]
    drawn = draw_units(len(others), study.unit_size - 2, study.redundancy, rng)
    assert len(drawn) == units_needed(len(pooled), study.redundancy, study.unit_size)  # noqa: S101
    return len(store_units(topic, anchors, [[others[place] for place in row] for row in drawn]))
