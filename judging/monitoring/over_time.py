from dataclasses import dataclass

from django.db.models import Count, F, Q

from judging.models import Assignment, CheckFailure, Study
from judging.monitoring.attempts import PRACTISED
from judging.monitoring.figures.bins import Bins
from judging.monitoring.tries import ANSWERS, WRONG_ANSWERS, Rate
from judging.states import PAID, State

Check = CheckFailure.Check
MAX_PRESSES = 2**20  # more than anybody will make
# A withdrawn unit was completed, whatever became of its data. A released one has waited, as an
# expired one has, for somebody who did not come back. Who returns a submission leaves by their
# platform's button.
KINDS = {
    "completed": Q(state__in=PAID),
    "failed": Q(state__in=(State.FAILED, State.EXHAUSTED)),
    "left": Q(state__in=(State.LEFT, State.RETURNED)),
    "expired": Q(state__in=(State.EXPIRED, State.RELEASED)),
}
COUNTED = "counted"  # completed and not withdrawn


@dataclass(frozen=True)
class OverTime:
    """By check, a value a bin."""

    counts: dict[str, list[int]]
    rates: dict[str, list[Rate]]


def ended(study: Study, bins: Bins) -> dict[str, list[int]]:
    """By what became of attempts, a value a bin."""
    kinds = {**KINDS, COUNTED: Q(state=State.COMPLETED)}
    counts = {kind: Count("id", filter=condition) for kind, condition in kinds.items()}
    return bins.aggregate(Assignment.objects.filter(study=study), "finished_at", counts)


def over_time(study: Study, bins: Bins, completed: list[int]) -> OverTime:
    """The failures of each check by when they happened, and their rates.

    (a) and (b): of the attempts that began in a bin, as when they were passed is not stored. (c)
    and (d): of the presses of Finish in it, those that failed and `completed`; one that failed both
    counts once.
    """
    failed = {check: Count("id", filter=Q(check_name=check)) for check in Check.values}
    pressed = Count(
        F("assignment") * MAX_PRESSES + F("attempt"),
        distinct=True,
        filter=Q(check_name__in=[Check.ANCHORS, Check.TIME]),
    )
    failures = CheckFailure.objects.filter(assignment__study=study)
    counts = bins.aggregate(failures, "at", {**failed, "pressed": pressed})
    attempts = {
        "disordered": Count("id", filter=Q(state=State.FAILED, barred=False)),
        "practised": Count("id", filter=PRACTISED),
        "wrong": WRONG_ANSWERS,
        "answered": ANSWERS,
    }
    begun = bins.aggregate(Assignment.objects.filter(study=study), "started_at", attempts)
    presses = [sum(pair) for pair in zip(counts.pop("pressed"), completed, strict=True)]
    fractions: dict[str, tuple[list[int], list[int]]] = {
        Check.LINES: (begun["disordered"], begun["practised"]),
        Check.QUESTION: (begun["wrong"], begun["answered"]),
        Check.ANCHORS: (counts[Check.ANCHORS], presses),
        Check.TIME: (counts[Check.TIME], presses),
    }
    rates = {
        check: [Rate(*pair) for pair in zip(*fractions[check], strict=True)]
        for check in Check.values
    }
    return OverTime(counts, rates)
