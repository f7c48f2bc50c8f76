from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Subquery

from judging.collections import vocabulary
from judging.flow.ending import end
from judging.models import (
    Assignment,
    Document,
    Opinion,
    Payment,
    PooledDocument,
    Topic,
    Unit,
    UnitDocument,
    Vocabulary,
)
from judging.models.assignment import AssignmentQuerySet
from judging.states import OCCUPYING, Actor, State
from magnitudes.files.errors import BadFile
from web import clock
from workspace.archive.table import Scope, Table

Keys = dict[str, dict[Any, Any]]


def keys_of(table: Table, scope: Scope) -> Keys:
    """The primary keys of a saved table, by the natural keys that other tables use."""
    if table.name == "vocabularies":
        return {"sizes": _sizes(scope)}
    if table.name == "unit_documents":
        return {"unit_documents": _unit_documents(scope)}
    if table.name == "assignments":
        return _assignments(scope)
    if not table.key:
        return {}
    rows = table.rows(scope).values_list(*table.key, "pk")
    keys = {tuple(key) if len(key) > 1 else key[0]: pk for *key, pk in rows.iterator()}
    return {table.name: keys}


def _sizes(scope: Scope) -> dict[str, int]:
    rows = Vocabulary.objects.filter(topic__collection=scope.collection)
    ids = rows.values_list("topic__query_id", "doc_ids").iterator(1)
    return {query_id: len(vocabulary.unpack(packed)) for query_id, packed in ids}


def _unit_documents(scope: Scope) -> dict[int, list[int]]:
    units: dict[int, list[int]] = {}
    rows = UnitDocument.objects.filter(unit__study=scope.study).order_by("document")
    for unit, document in rows.values_list("unit_id", "document_id").iterator():
        units.setdefault(unit, []).append(document)
    return units


def _assignments(scope: Scope) -> Keys:
    """Assignments by line, and the documents of their pages: key and id of each."""
    pool = PooledDocument.objects.filter(study_topic__in=scope.study.topics.values("pk"))
    ids = dict(pool.values_list("pk", "doc_id"))
    rows = Assignment.objects.filter(study=scope.study).order_by("pk").values_list("pk", "order")
    keys, orders = {}, {}
    for line, (key, order) in enumerate(rows.iterator(), 1):
        keys[line] = key
        orders[line] = {page: (document, ids[document]) for page, document in enumerate(order, 1)}
    return {"assignments": keys, "orders": orders}


def refuse_other_codes(scope: Scope) -> None:
    """BadFile for a pooled document whose code is not its place in the topic's vocabulary."""
    rows = PooledDocument.objects.filter(study_topic__in=scope.study.topics.values("pk")).order_by(
        "pk"
    )
    pooled = rows.values_list("study_topic__topic", "doc_id", "code")
    by_topic: dict[int, list[tuple[int, str, int]]] = {}
    for line, (topic, doc_id, code) in enumerate(pooled.iterator(), 1):
        by_topic.setdefault(topic, []).append((line, doc_id, code))
    for topic, documents in by_topic.items():
        ids = vocabulary.read(Topic(pk=topic))
        for line, doc_id, code in documents:
            if code >= len(ids) or ids[code] != doc_id:
                expected = "its place in the topic's vocabulary"
                raise BadFile("pool.jsonl", f"code {code} of {doc_id}", expected, line)


def settle(scope: Scope) -> int:
    """Give texts to the pool, end live attempts, free units; returns how many attempts ended.

    BadFile: a completed unit lacks a score, a code its payment or a payment its code, or the study
    has what its kind cannot have.
    """
    assignments = Assignment.objects.filter(study=scope.study)
    _refuse_other_kind(scope, assignments)
    _refuse_unfinished(scope, assignments)
    _refuse_unearned(scope, assignments)
    texts = Document.objects.filter(collection=scope.collection, doc_id=OuterRef("doc_id"))
    pool = PooledDocument.objects.filter(study_topic__in=scope.study.topics.values("pk"))
    pool.update(document=Subquery(texts.values("pk")))
    live = list(assignments.live().locked().order_by("pk"))
    end(live, "expire", State.EXPIRED, Actor.TICK, clock.now())
    occupying = assignments.filter(unit=OuterRef("pk"), state__in=OCCUPYING)
    Unit.objects.filter(study=scope.study).update(free=~Exists(occupying))
    return len(live)


def _refuse_other_kind(scope: Scope, assignments: AssignmentQuerySet) -> None:
    opinions = Opinion.objects.filter(study_topic__study=scope.study)
    if scope.study.is_imported and assignments.exists():
        raise BadFile("assignments.jsonl", "assignments", "none in a study judged elsewhere")
    if not scope.study.is_imported and opinions.exists():
        raise BadFile("opinions.jsonl", "opinions", "none in a study that is judged here")


def _refuse_unfinished(scope: Scope, assignments: AssignmentQuerySet) -> None:
    scores = Count("judgments", filter=Q(judgments__score__isnull=False))
    lacking = assignments.completed().annotate(scores=scores).exclude(scores=scope.study.unit_size)
    first = lacking.order_by("pk").first()
    if first is not None:
        line = assignments.filter(pk__lte=first.pk).count()
        problem = f"a completed assignment with {first.scores} scores"
        raise BadFile("assignments.jsonl", problem, f"{scope.study.unit_size}", line)


def _refuse_unearned(scope: Scope, assignments: AssignmentQuerySet) -> None:
    earned = assignments.paid().filter(payment__gt=0, worker__simulated=False)
    payments = Payment.objects.of_study(scope.study).exclude(kind=Payment.Kind.SCREEN_OUT)
    odd = payments.exclude(assignment__in=earned).order_by("pk").first()
    if odd is not None:
        line = Payment.objects.of_study(scope.study).filter(pk__lte=odd.pk).count()
        raise BadFile("payments.jsonl", "a payment", "one for an assignment that is paid", line)
    rows = earned.annotate(times=Count("payments", filter=Q(payments__in=payments)))
    odd_one = rows.exclude(times=1).order_by("pk").first()
    if odd_one is not None:
        line = assignments.filter(pk__lte=odd_one.pk).count()
        problem = f"a paid assignment with {odd_one.times} payments"
        raise BadFile("assignments.jsonl", problem, "one", line)
