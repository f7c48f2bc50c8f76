"""Progress and failures, as questions that an admin asks."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from judging.models import Assignment, CheckFailure, Judgment, Study
from judging.states import LIVE, State


@dataclass(frozen=True)
class Progress:
    """How far a study has come."""

    stage: str
    units: int
    completed: int
    live: int
    free: int
    judgments: int
    workers: int

    @property
    def percent(self) -> float:
        """Completed units in percent of those planned."""
        return 100 * self.completed / self.units if self.units else 0.0


def progress(study: Study) -> Progress:
    """How far a study has come."""
    units = study.units.aggregate(all=Count("id"), free=Count("id", filter=Q(free=True)))
    done = Assignment.objects.filter(study=study).aggregate(
        completed=Count("id", filter=Q(state=State.COMPLETED)),
        live=Count("id", filter=Q(state__in=LIVE)),
        workers=Count("worker", distinct=True, filter=Q(state=State.COMPLETED)),
    )
    judgments = Judgment.objects.filter(
        assignment__study=study, assignment__state=State.COMPLETED
    ).count()
    return Progress(
        study.stage,
        units["all"],
        done["completed"],
        done["live"],
        units["free"],
        judgments,
        done["workers"],
    )


def newest_failures(study: Study, count: int = 50) -> QuerySet[CheckFailure]:
    """The failures that came last."""
    return (
        CheckFailure.objects.filter(assignment__study=study)
        .select_related("assignment__worker", "assignment__study_topic__topic", "assignment__unit")
        .order_by("-at", "-id")[:count]
    )


def failures_by_check(study: Study) -> list[dict[str, Any]]:
    """Each check with its number of failures, workers and topics concerned."""
    counted = {
        row["check_name"]: row
        for row in CheckFailure.objects.filter(assignment__study=study)
        .values("check_name")
        .annotate(
            failures=Count("id"),
            workers=Count("assignment__worker", distinct=True),
            topics=Count("assignment__study_topic", distinct=True),
        )
    }
    nothing = {"failures": 0, "workers": 0, "topics": 0}
    return [
        {"label": check.label, **counted.get(check.value, nothing)} for check in CheckFailure.Check
    ]


def _by(study: Study, **names: str) -> QuerySet[CheckFailure, Any]:
    """Failures counted by something, each check in a column of its own."""
    columns = {check.value: Count("id", filter=Q(check_name=check)) for check in CheckFailure.Check}
    return (
        CheckFailure.objects.filter(assignment__study=study)
        .values(**{name: F(path) for name, path in names.items()})
        .annotate(failures=Count("id"), **columns)
        .order_by("-failures", *names)
    )


def failures_by_topic(study: Study) -> QuerySet[CheckFailure, Any]:
    """Topics with a failure, those with most first."""
    return _by(
        study,
        query_id="assignment__study_topic__topic__query_id",
        title="assignment__study_topic__topic__title",
    )


def failures_by_worker(study: Study, count: int = 50) -> QuerySet[CheckFailure, Any]:
    """Workers with a failure, those with most first."""
    return _by(
        study,
        worker="assignment__worker__pseudonym",
        simulated="assignment__worker__simulated",
    )[:count]
