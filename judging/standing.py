"""Where a worker stands: the one page that belongs to their true state."""

from dataclasses import dataclass

from judging import states
from judging.flow.admission import NoWork, no_work_reason
from judging.models import Assignment, Study, Worker
from judging.states import State

STEPS = {
    State.PRACTICE: "practice",
    State.INSTRUCTIONS: "instructions",
    State.TOPIC: "topic",
    State.JUDGING: "document",
    State.REVISING: "document",
    State.COMPLETED: "done",
    State.WITHDRAWN: "done",
    State.FAILED: "failed",
    State.EXPIRED: "failed",
    State.LEFT: "left",
}


@dataclass(frozen=True)
class Place:
    """A page, and what it is about."""

    step: str
    worker: Worker | None = None
    assignment: Assignment | None = None
    no_work: NoWork | None = None  # why no further unit can be offered

    @property
    def name(self) -> str:
        """What a form of this page says, so that a late or repeated one is recognised."""
        # After a failed Finish everybody's page is the same, letter by letter.
        if self.assignment is None or self.step == "revise":
            return self.step
        a = self.assignment
        return f"{a.token}:{self.step}:{a.practice_step}"

    @property
    def is_live(self) -> bool:
        return self.assignment is not None and self.assignment.state in states.LIVE


NOT_HERE = (NoWork.CLOSED, NoWork.OTHERS)


def standing(study: Study, pseudonym: str | None, *, simulated: bool = False) -> Place:
    """The page of the worker with this pseudonym; of somebody new, if there is none."""
    worker = Worker.objects.filter(study=study, pseudonym=pseudonym or "").first()
    latest = (
        Assignment.objects.select_related("study_topic__topic")
        .filter(worker=worker)
        .order_by("-id")
        .first()
        if worker
        else None
    )
    if latest and latest.state in states.LIVE:
        step = STEPS[State(latest.state)]
        if latest.state == State.REVISING and latest.position > len(latest.order):
            step = "revise"
        return Place(step, worker, latest)
    no_work = no_work_reason(study, worker, simulated=simulated)
    if latest:
        return Place(STEPS[State(latest.state)], worker, latest, no_work)
    if no_work:
        return Place("closed" if no_work in NOT_HERE else "no-work", worker, None, no_work)
    return Place("welcome", worker)


def codes(worker: Worker | None) -> list[Assignment]:
    """The units a worker has completed, oldest first, with their codes."""
    if worker is None:
        return []
    return list(
        Assignment.objects.select_related("study_topic__topic")
        .filter(worker=worker, state__in=states.PAID)
        .order_by("finished_at")
    )
