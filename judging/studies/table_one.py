from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db.models import Aggregate, Case, Count, F, FloatField, Q, QuerySet, Sum, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Extract, NullIf

from judging.models import Assignment, Study
from judging.states import PAID, State
from web.text import natural

COUNTED = ("back_0", "back_1", "back_2plus", "fail_0", "fail_1", "fail_2plus")
OF_PAPER = ("topic", "documents", "units", "completed", "h_k", "n_k", *COUNTED)
TABLE1 = (*OF_PAPER, "batch_units", "batch_completed", "excluded")
TEXTS = ("topic", "h_k", "n_k")  # all other columns are counts
HOUR = 3600  # seconds
UNCOUNTED = "paid_not_counted"  # a count of attempts


def table1(study: Study) -> list[dict[str, Any]]:
    """One row a topic, in natural order, in the paper's columns, of the study's plan.

    Apart stand the units of batches, the completed ones of workers who are excluded, and attempts
    that are paid although they did not pass the checks.
    """
    completed = Q(state=State.COMPLETED)
    done = completed & Q(worker__excluded_at=None, unit__batch=None)
    in_batch = completed & Q(worker__excluded_at=None, unit__batch__isnull=False)
    counts: dict[str, Any] = {"completed": Count("pk", filter=done)}
    for name, column in (("back", "back_steps"), ("fail", "failed_finishes")):
        counts[f"{name}_0"] = Count("pk", filter=done & Q(**{column: 0}))
        counts[f"{name}_1"] = Count("pk", filter=done & Q(**{column: 1}))
        counts[f"{name}_2plus"] = Count("pk", filter=done & Q(**{f"{column}__gte": 2}))
    counts["batch_completed"] = Count("pk", filter=in_batch)
    counts["excluded"] = Count("pk", filter=completed & Q(worker__excluded_at__isnull=False))
    counts[UNCOUNTED] = Count("pk", filter=Q(state=State.EXHAUSTED))
    attempts = Assignment.objects.filter(study=study)
    passed = attempts.paid() if study.takes_people else attempts.filter(state=State.COMPLETED)
    by_topic = passed.values("study_topic").annotate(**counts)
    of_topic: dict[int, Any] = {row["study_topic"]: row for row in by_topic}
    zeros = dict.fromkeys(counts, 0)
    rows = study.topics.annotate(
        query_id=F("topic__query_id"),
        units_planned=Count("units", filter=Q(units__batch=None)),
        units_added=Count("units", filter=Q(units__batch__isnull=False)),
    )
    documents = dict(study.topics.annotate(size=Count("documents")).values_list("pk", "size"))
    return [
        {
            "topic": row.query_id,
            "documents": documents[row.pk],
            "units": row.units_planned,
            "batch_units": row.units_added,
            "h_k": row.h_k,
            "n_k": row.n_k,
            **{name: of_topic.get(row.pk, zeros)[name] for name in counts},
        }
        for row in sorted(rows, key=lambda row: natural(row.query_id))
    ]


def shown_columns(sums: dict[str, int]) -> tuple[str, ...]:
    return (*OF_PAPER, UNCOUNTED) if sums[UNCOUNTED] else OF_PAPER


def total(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {
        name: sum(row[name] for row in rows) for name in (*TABLE1, UNCOUNTED) if name not in TEXTS
    }


def shares(sums: dict[str, int]) -> dict[str, float | None]:
    """Back steps and failed finishes by completed units, as in the paper's last row, or None."""
    done = sums["completed"]
    return {name: sums[name] / done if done else None for name in COUNTED}


class Quantiles(Aggregate):
    function = "percentile_cont"
    template = "%(function)s(ARRAY[%(shares)s]) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = ArrayField(FloatField())

    def __init__(self, column: str | Combinable, *shares: float) -> None:
        super().__init__(column, shares=", ".join(map(repr, shares)))


class UnitSeconds(NamedTuple):
    """Of the n paid units of people, or NaN; mean: all time by all units; median: by person."""

    n: int
    mean: float
    median: float


def unit_seconds(study: Study) -> UnitSeconds:
    """All time of people with a paid unit, failed attempts included, by the number of these."""
    row = _people(study).aggregate(
        n=Sum("units"), time=Sum("spent"), median=Quantiles(F("spent") / F("units"), 0.5)
    )
    if not row["n"]:
        return UnitSeconds(0, np.nan, np.nan)
    return UnitSeconds(row["n"], row["time"] / row["n"], row["median"][0])


def _people(study: Study) -> QuerySet[Assignment, Any]:
    """Of each worker with a paid unit: units, what they earned, and seconds in all attempts.

    An attempt lasts from agreeing on Welcome to its end, one that expired to its last page.
    """
    until = Case(When(state=State.EXPIRED, then=F("active_at")), default=F("finished_at"))
    lasted = Cast(Extract(until - F("started_at"), "epoch"), FloatField())
    is_paid = Q(completion_code__isnull=False)
    ended = Assignment.objects.filter(study=study, finished_at__isnull=False)
    each = ended.values("worker").annotate(
        units=Count("pk", filter=is_paid),
        spent=Sum(lasted),
        earned=Cast(Sum("payment", filter=is_paid), FloatField()),
    )
    return each.filter(units__gt=0).order_by()


class Pay(NamedTuple):
    """What the completed units cost, the platform's fee included."""

    total: float
    per_document: float
    per_hour: float  # of the median person, for all their time, without the fee
    minimum: Decimal | None  # an hour
    too_low: bool  # volunteers are paid nothing, which is not too low


def pay(study: Study) -> Pay:
    rate = F("earned") / NullIf(F("spent"), Value(0.0))
    paid = _people(study).aggregate(
        number=Coalesce(Sum("units"), 0),
        amounts=Coalesce(Sum("earned"), 0.0),
        a_second=Quantiles(rate, 0.5),
    )
    units, amounts, (a_second,) = paid["number"], paid["amounts"], paid["a_second"] or [None]
    whole = amounts * (1 + float(study.platform_fee))
    documents = study.topics.aggregate(n=Count("documents"))["n"] if units else 0
    per_hour = np.nan if a_second is None else a_second * HOUR
    per_document = whole / documents if documents else np.nan
    too_low = amounts > 0 and per_hour < float(study.minimum_pay or 0)
    return Pay(whole, per_document, per_hour, study.minimum_pay, too_low)


def workers(study: Study) -> QuerySet[Assignment, Any]:
    passed = Assignment.objects.filter(study=study, state__in=PAID).values("worker__pseudonym")
    return passed.annotate(units=Count("id")).order_by("-units", "worker__pseudonym")
