"""Failed checks as they come in, and over time."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.db.models import Count, F, Q, QuerySet

from judging.models import Assignment, CheckFailure, Study
from judging.monitoring.figures.bins import Bins
from judging.monitoring.tries import ANSWERS, PRACTISED, WRONG_ANSWERS, Rate
from judging.states import State

Check = CheckFailure.Check
SHOWN = 50
MAX_PRESSES = 2**20  # more than anybody will make


@dataclass(frozen=True)
class Filter:
    """Which failures to list; an empty string selects all."""

    topic: str = ""
    check: str = ""
    worker: str = ""

    @property
    def fields(self) -> dict[str, str]:
        named = {
            "assignment__study_topic__topic__query_id": self.topic,
            "check_name": self.check,
            "assignment__worker__pseudonym": self.worker,
        }
        return {field: value for field, value in named.items() if value}

    @property
    def query(self) -> str:
        """As it stands in an address."""
        return urlencode({name: value for name, value in vars(self).items() if value})


def failures(study: Study, wanted: Filter) -> QuerySet[CheckFailure]:
    """The failures of a study that pass the filter, newest first."""
    return (
        CheckFailure.objects.filter(assignment__study=study, **wanted.fields)
        .select_related("assignment__worker", "assignment__study_topic__topic", "assignment__unit")
        .order_by("-at", "-id")
    )


@dataclass(frozen=True)
class OverTime:
    """Failures and rates by check, a value a bin."""

    counts: dict[str, list[int]]
    rates: dict[str, list[Rate]]


def over_time(study: Study, bins: Bins, completed: list[int]) -> OverTime:
    """The failures of each check by when they happened, and their rates.

    (a) and (b) are rates of the attempts that began in a bin: when they were passed is not stored.
    (c) and (d) are rates of the presses of Finish in it: those that failed, and `completed`.
    """
    counts, pressed = _failed(study, bins)
    rates = _of_attempts(study, bins)
    presses = [failed + passed for failed, passed in zip(pressed, completed, strict=True)]
    for check in (Check.ANCHORS, Check.TIME):
        rates[check] = [Rate(*pair) for pair in zip(counts[check], presses, strict=True)]
    return OverTime(counts, {check: rates[check] for check in Check.values})


def _failed(study: Study, bins: Bins) -> tuple[dict[str, list[int]], list[int]]:
    """Failures by check, and presses of Finish that failed; one that failed both is one press."""
    columns: dict[str, Any] = {
        check: Count("id", filter=Q(check_name=check)) for check in Check.values
    }
    columns["pressed"] = Count(
        F("assignment") * MAX_PRESSES + F("attempt"),
        distinct=True,
        filter=Q(check_name__in=[Check.ANCHORS, Check.TIME]),
    )
    rows = (
        CheckFailure.objects.filter(assignment__study=study, **bins.range("at"))
        .values(bin=bins.of("at"))
        .annotate(**columns)
    )
    counts = dict(zip(columns, bins.table(rows, columns).tolist(), strict=True))
    pressed = counts.pop("pressed")
    return counts, pressed


def _of_attempts(study: Study, bins: Bins) -> dict[str, list[Rate]]:
    """The rates of (a) and (b) among the attempts that began in each bin."""
    columns = {
        "disordered": Count("id", filter=Q(state=State.FAILED, barred=False)),
        "practised": Count("id", filter=PRACTISED),
        "wrong": WRONG_ANSWERS,
        "answered": ANSWERS,
    }
    rows = (
        Assignment.objects.filter(study=study, **bins.range("started_at"))
        .values(bin=bins.of("started_at"))
        .annotate(**columns)
    )
    of_lines, of_question = np.split(bins.table(rows, columns), 2)
    return {
        check: [Rate(*pair) for pair in table.T.tolist()]
        for check, table in ((Check.LINES, of_lines), (Check.QUESTION, of_question))
    }
