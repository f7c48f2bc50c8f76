"""The attempts of a study, and what failed in them, as arrays.

The monitoring page is renewed every few seconds: there is no time for an object of each row.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import (
    Aggregate,
    BigIntegerField,
    BinaryField,
    Case,
    F,
    Func,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from judging.models import Assignment, CheckFailure, Study
from judging.states import PAID, State

Check = CheckFailure.Check
CHECKS = tuple(check.value for check in Check)
AT_FINISH = [CHECKS.index(check) for check in (Check.ANCHORS, Check.TIME)]
# (a) is made when an attempt comes to the last line, (b) whenever the question is answered, (c) and
# (d) at every press of Finish: each that failed, and the one that completed the unit.
PRACTISED = Q(practice_step=F("lines__len"))
LAST = np.iinfo(np.int64).max
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Attempts:
    """In the order in which they began, a value each in the last dimension."""

    keys: Numbers
    workers: Numbers
    topics: Numbers
    excluded: Numbers  # whether its worker is
    documents: Numbers  # judged: none of an attempt that was not completed
    practised: Numbers  # whether it came to the last line
    answers: Numbers  # to the question
    presses: Numbers  # of Finish
    pressed_at: Numbers  # Finish for the first time, in microseconds; of some that never did, too
    failed: Numbers  # by check, how often
    failed_anchors: Numbers  # whether the first press of Finish failed (c)

    @cached_property
    def not_excluded(self) -> "Attempts":
        counts = self.excluded == 0
        return Attempts(*(getattr(self, field.name)[..., counts] for field in fields(self)))


def attempts(study: Study) -> Attempts:
    # Failures are read first: whatever happens meanwhile, there are no more of them than of tries.
    failed = _columns(
        CheckFailure.objects.filter(assignment__study=study),
        attempts="assignment_id",
        check=Case(*(When(check_name=check, then=n) for n, check in enumerate(CHECKS))),
        press="attempt",
        at=_microseconds("at"),
    )
    made = _columns(
        Assignment.objects.filter(study=study),
        keys="id",
        workers="worker_id",
        topics="study_topic_id",
        excluded=_is_true(Q(worker__excluded_at__isnull=False)),
        documents=Case(When(state=State.COMPLETED, then=F("order__len")), default=0),
        practised=_is_true(PRACTISED),
        answers=F("wrong_answers") + _is_true(Q(furthest__gt=0)),
        presses=F("failed_finishes") + _is_true(Q(state__in=PAID)),
        pressed_at=Coalesce(_microseconds("finished_at"), Value(LAST)),
    )
    order = np.argsort(made["keys"])
    made = {name: values[order] for name, values in made.items()}
    n = len(order)
    place, check = np.searchsorted(made["keys"], failed["attempts"]), failed["check"]
    first = np.isin(check, AT_FINISH) & (failed["press"] == 1)
    made["pressed_at"][place[first]] = LAST
    np.minimum.at(made["pressed_at"], place[first], failed["at"][first])
    of_check = [place[check == index] for index in range(len(CHECKS))]
    return Attempts(
        **made,
        failed=np.array([np.bincount(places, minlength=n) for places in of_check]),
        failed_anchors=np.bincount(place[first & (check == AT_FINISH[0])], minlength=n),
    )


def _is_true(condition: Q) -> Case:
    return Case(When(condition, then=1), default=0)


def _microseconds(field: str) -> Func:
    template = "(extract(epoch from %(expressions)s) * 1000000)::bigint"
    return Func(F(field), template=template, output_field=BigIntegerField())


class _Packed(Aggregate):
    template = "string_agg(int8send(%(expressions)s), '')"
    output_field = BinaryField()


def _columns(rows: QuerySet[Any, Any], **values: str | Combinable) -> dict[str, Numbers]:
    """Arrays by name, in one order; values: what to read of a row, whole numbers, never null."""
    packed = rows.aggregate(**{name: _Packed(value) for name, value in values.items()})
    return {
        name: np.frombuffer(data or b"", ">i8").astype(np.int64) for name, data in packed.items()
    }
