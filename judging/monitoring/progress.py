"""How far a study has come."""

from dataclasses import dataclass

from django.db.models import Count, Q

from judging.models import Assignment, Judgment, Study
from judging.monitoring import words
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
    def done(self) -> str:
        """The same in words, never rounded up."""
        return words.done(self.completed / self.units if self.units else 0.0)

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
