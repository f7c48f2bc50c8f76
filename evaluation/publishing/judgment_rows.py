"""What was judged, as rows: judgments, units, and labels that were given elsewhere.

A table is a list of columns. Its rows come from the database in the order of that list, and files,
REST and its description have their columns from there.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import (
    Aggregate,
    BooleanField,
    Count,
    ExpressionWrapper,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    Window,
)
from django.db.models.functions import Coalesce, RowNumber

from evaluation.models import TopicEvaluation
from judging.models import Assignment, Judgment, Opinion, Study, Visit
from judging.models.unit import unit_name
from judging.states import State

Row = dict[str, Any]
Normalised = Mapping[int, Sequence[float]]  # a unit's normalised scores, by assignment
LATER = Value(None, output_field=FloatField())  # filled in from what is published


class Column(NamedTuple):
    """A column of a table: its name, what kind its values are, and where the database has them."""

    name: str
    kind: type
    source: Any = LATER  # a path or an expression
    nullable: bool = False
    help: str = ""


class SumInOrder(Aggregate):
    """The sum of a first expression, added up in the order of a second.

    The last digits of a sum of floats depend on the order, and that of rows on disk is no order.
    """

    function = "SUM"
    arity = 2
    arg_joiner = " ORDER BY "
    output_field = FloatField()


def _over_visits(total: Any) -> Subquery:
    """A total over all visits to the page of a judgment."""
    visits = Visit.objects.filter(assignment=OuterRef("assignment"), position=OuterRef("position"))
    return Subquery(visits.order_by().values("position").annotate(n=total).values("n"))


def _is_set(path: str) -> ExpressionWrapper:
    return ExpressionWrapper(Q(**{f"{path}__isnull": False}), BooleanField())


EXCLUDED = "Whether the worker is: then no computation takes the scores."
OF_BATCH = "The batch that the unit was added with; null: the study's plan."
PASTING = "null: the study does not record it, or the browser did not say."
CHANGED = Q(score_at_failure__isnull=False) & ~Q(score_at_failure=F("score"))
JUDGMENT = (
    Column("worker", str, "assignment__worker__pseudonym"),
    Column("unit", str, unit_name("assignment__")),
    Column("query_id", str, "assignment__study_topic__topic__query_id"),
    Column("doc_id", str, "document__doc_id"),
    Column("position", int, "position"),
    Column("score", float, "score"),
    Column("score_text", str, "score_text"),
    Column("justification", str, "justification"),
    Column("seconds", float, "assignment__seconds"),
    Column("normalised", float, nullable=True),
    Column("role", str, "document__role"),
    Column("visits", int, Coalesce(_over_visits(Count("pk")), 0)),
    Column(
        "visible_seconds",
        float,
        _over_visits(SumInOrder("visible_seconds", "opened_at")),
        nullable=True,
    ),
    Column(
        "hidden_seconds",
        float,
        _over_visits(SumInOrder("hidden_seconds", "opened_at")),
        nullable=True,
        help=f"As the browser says; {PASTING}",
    ),
    Column(
        "pasted_characters",
        int,
        _over_visits(Sum("pasted_characters")),
        nullable=True,
        help=f"As the browser says; {PASTING}",
    ),
    Column("first_score", float, "first_score"),
    Column("changed_after_failure", bool, ExpressionWrapper(CHANGED, BooleanField())),
    Column("submitted_at", datetime, "submitted_at"),
    Column("simulated", bool, "assignment__worker__simulated"),
    Column("batch", int, "assignment__unit__batch__number", nullable=True, help=OF_BATCH),
    Column("excluded", bool, _is_set("assignment__worker__excluded_at"), help=EXCLUDED),
)
LEVELS = ("score", "first_score", "normalised")  # labels, where scores are levels


def judgments(study: Study) -> Iterator[Row]:
    """Every judgment of every completed unit, topic by topic, in the order of completion.

    `normalised` is null for a unit that does not count, or was completed after the last evaluation.
    """
    for topic in study.topics.order_by("topic__query_id").values_list("pk", flat=True):
        judged = Judgment.objects.filter(
            assignment__study_topic=topic, assignment__state=State.COMPLETED
        ).order_by("assignment__finished_at", "assignment", "position")
        yield from _judgment_rows(study, judged, _normalised([topic]))


def judgments_by_key(study: Study, keys: Sequence[int]) -> list[Row]:
    """The same rows for some judgments of completed units, in the order of their keys."""
    judged = Judgment.objects.filter(pk__in=keys).order_by("pk")
    topics = judged.order_by().values("assignment__study_topic").distinct()
    return list(_judgment_rows(study, judged, _normalised(topics)))


def _judgment_rows(
    study: Study, judged: QuerySet[Judgment], normalised: Normalised
) -> Iterator[Row]:
    for assignment, row in _rows(JUDGMENT, judged, "assignment"):
        page = row["position"] - 1
        row["seconds"] = row["seconds"][page]
        if assignment in normalised:
            row["normalised"] = normalised[assignment][page]
        if study.is_graded:
            row |= {name: _whole(row[name]) for name in LEVELS}
        yield row


def _whole(level: float | None) -> int | None:
    return None if level is None else int(level)


def _rows(columns: Sequence[Column], records: QuerySet[Any], key: str) -> Iterator[tuple[int, Row]]:
    """Rows as the columns name them, each with a key."""
    names = [column.name for column in columns]
    values = records.values_list(key, *(column.source for column in columns))
    for record_key, *cells in values.iterator():
        yield record_key, dict(zip(names, cells, strict=True))


def _normalised(topics: Any) -> Normalised:
    """The published normalised scores of some topics."""
    published = TopicEvaluation.objects.filter(study_topic__in=topics)
    by_assignment = {}
    for assignments, scores in published.values_list("assignments", "normalised"):
        size = len(scores) // max(len(assignments), 1)
        for place, assignment in enumerate(assignments):
            by_assignment[assignment] = scores[place * size : (place + 1) * size]
    return by_assignment


OPINION = (
    Column("worker", str, "worker__pseudonym"),
    Column("query_id", str, "study_topic__topic__query_id"),
    Column("doc_id", str, "document__doc_id"),
    Column("score", int, "level", nullable=True, help="A level from 0; null: none."),
    Column("score_text", str, "level", nullable=True, help="The level's name."),
    Column("aspect", str, "aspect", help="What of the document it is on, if it is said."),
    Column("occasion", str, "occasion", help="Which of several times, if it is said."),
)


MAGNITUDE = (
    *OPINION[:3],
    Column("group", str, "group", help="Of a worker's scores on a topic those on one scale."),
    Column("score", float, "score", nullable=True, help="As given; null: none."),
    Column("normalised", float, nullable=True),
    *OPINION[5:],
)


def opinions(study: Study) -> Iterator[Row]:
    """Every opinion, in the order in which they were imported; no score where none was given.

    `normalised` is null where there is no score, on other aspects than the main one, and before
    the import is evaluated.
    """
    every = Opinion.objects.filter(study_topic__study=study).order_by("pk")
    return _opinion_rows(study, every, study.topics.values_list("pk"))


def opinions_by_key(study: Study, keys: Sequence[int]) -> list[Row]:
    """The same rows for some opinions, in the order of their keys."""
    some = Opinion.objects.filter(pk__in=keys).order_by("pk")
    return list(_opinion_rows(study, some, some.order_by().values("study_topic").distinct()))


def _opinion_rows(study: Study, given: QuerySet[Opinion], topics: Any) -> Iterator[Row]:
    if not study.is_graded:
        normalised = _normalised(topics)
        for key, row in _rows(MAGNITUDE, given, "pk"):
            yield row | {"normalised": normalised.get(key, [None])[0]}
        return
    for _, row in _rows(OPINION, given, "pk"):
        level = row["score"]
        yield row | {"score_text": None if level is None else study.levels[level]}


CROWDKIT = (
    Column("task", str, help="The ids of topic and document, with a blank between them."),
    Column("worker", str),
    Column("label", float, help="A normalised score, or a level from 0."),
)


def crowdkit(study: Study) -> Iterator[Row]:
    """The scores that the published gains are aggregated from, in crowd-kit's columns.

    Topic by topic: of units in the order of completion, of opinions as they were imported. No id
    holds a blank.
    """
    topics = study.topics.order_by("topic__query_id").values_list("pk", "topic__query_id")
    number = int if study.is_graded else float
    for topic, query_id in topics:
        published = _normalised([topic])
        for key, position, doc_id, worker in _who_judged_what(study, topic):
            if key in published:
                label = number(published[key][position - 1])
                yield {"task": f"{query_id} {doc_id}", "worker": worker, "label": label}


def _who_judged_what(study: Study, topic: int) -> Iterator[tuple[int, int, str, str]]:
    """Unit or opinion, position in it, document and worker of every score on a topic."""
    if study.is_imported:
        given = Opinion.objects.filter(study_topic=topic).order_by("pk")
        names = ("document__doc_id", "worker__pseudonym")
        return given.values_list("pk", Value(1), *names).iterator()
    judged = Judgment.objects.filter(
        assignment__study_topic=topic, assignment__state=State.COMPLETED
    ).order_by("assignment__finished_at", "assignment", "position")
    names = ("document__doc_id", "assignment__worker__pseudonym")
    return judged.values_list("assignment", "position", *names).iterator()


def _score_of(role: str) -> Subquery:
    """The magnitude that a unit gave to one of its anchors."""
    judged = Judgment.objects.filter(assignment=OuterRef("pk"), document__role=role, graded=False)
    return Subquery(judged.values("score")[:1])


UNIT = (
    Column("unit", str, unit_name()),
    Column("worker", str, "worker__pseudonym"),
    Column("query_id", str, "study_topic__topic__query_id"),
    Column(
        "worker_unit_index",
        int,
        Window(RowNumber(), partition_by="worker", order_by=["finished_at", "pk"]),
    ),
    Column("started_at", datetime, "started_at"),
    Column("finished_at", datetime, "finished_at"),
    Column("back", int, "back_steps"),
    Column("revise_steps", int, "revise_steps"),
    Column("failed_finishes", int, "failed_finishes"),
    Column("gamma_u", float, nullable=True),
    Column("hk_nk_ratio", float, _score_of("h_k") / _score_of("n_k"), nullable=True),
    Column("simulated", bool, "worker__simulated"),
    Column("batch", int, "unit__batch__number", nullable=True, help=OF_BATCH),
    Column("excluded", bool, _is_set("worker__excluded_at"), help=EXCLUDED),
    Column(
        "texts_version",
        str,
        "texts_version",
        help="Of the product's texts that its worker read, a hyphen, and the digest of the study's "
        "own; empty: not known.",
    ),
)


def units(study: Study) -> Iterator[Row]:
    """Every completed unit. `gamma_u` is null for one that does not count, or is not evaluated yet.

    `hk_nk_ratio` is null where scores are levels, which have no ratios.
    """
    gamma_u: dict[int, float] = {}
    topics = TopicEvaluation.objects.filter(evaluation__study=study)
    for assignments, of_units in topics.values_list("assignments", "gamma_u"):
        gamma_u |= zip(assignments, of_units, strict=True)
    done = Assignment.objects.filter(study=study, state=State.COMPLETED)
    in_order = done.order_by("study_topic__topic__query_id", "finished_at", "pk")
    for assignment, row in _rows(UNIT, in_order, "pk"):
        yield row | {"gamma_u": gamma_u.get(assignment)}
