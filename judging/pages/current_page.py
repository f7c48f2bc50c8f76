from dataclasses import dataclass, replace

from judging.flow.offer import Arrival, NoWork, no_work_reason
from judging.flow.reading import OF_WORKER, read_with_worker
from judging.flow.standing import Standing, read_standing
from judging.models import Assignment, Study, Worker
from judging.states import State
from web import clock

STATE_STEPS = {
    State.PRACTICE: "practice",
    State.INSTRUCTIONS: "instructions",
    State.TOPIC: "topic",
    State.JUDGING: "document",
    State.REVISING: "document",
    State.COMPLETED: "done",
    State.WITHDRAWN: "done",
    State.FAILED: "failed",
    State.EXPIRED: "failed",
    State.EXHAUSTED: "failed",
    State.RELEASED: "failed",
    State.RETURNED: "failed",
    State.LEFT: "left",
}
# Where nobody is on a document although there are documents to judge.
AFTER_THE_LAST = {State.JUDGING: "check", State.REVISING: "revise"}
CLOSED_REASONS = (
    *(NoWork.CLOSED, NoWork.PAUSED, NoWork.OTHERS, NoWork.PLATFORM),
    *(NoWork.TOOK_PART, NoWork.FULL),
)


@dataclass(frozen=True)
class WorkerPage:
    """A page other than a document's; no_work: why no further unit can be offered.

    A newcomer has no worker; whoever has begun nothing has no assignment.
    """

    study: Study
    step: str
    worker: Worker | None = None
    assignment: Assignment | None = None
    no_work: NoWork | None = None
    standing: Standing | None = None  # None: it has not been read

    @property
    def name(self) -> str:
        """The name that forms of this page send, so that late or repeated ones are recognised."""
        # After a failed Finish everybody's page is the same, letter by letter.
        if self.assignment is None or self.step == "revise":
            return self.step
        assignment = self.assignment
        is_topic = self.step == "topic"
        count = assignment.wrong_answers if is_topic else assignment.practice_step
        return f"{assignment.token}:{self.step}:{count}"

    @property
    def public_name(self) -> str:
        return self.name.split(":", 1)[-1]

    @property
    def is_live(self) -> bool:
        return self.assignment is not None and self.assignment.is_live


def current_page(slug: str, arrival: Arrival | None) -> WorkerPage | None:
    """The page of the worker who arrives, or of somebody new; None: there is no such study."""
    arrival = arrival or Arrival("")
    if page := page_of_attempt(slug, arrival):
        return page
    if (study := Study.objects.filter(slug=slug).first()) is None:
        return None
    worker = study.workers.filter(pseudonym=arrival.pseudonym).first()
    standing = read_standing(study, worker)
    no_work = no_work_reason(standing, arrival, clock.now())
    step = step_for(no_work) if no_work else "welcome"
    return WorkerPage(study, step, worker, None, no_work, standing)


def page_of_attempt(slug: str, arrival: Arrival) -> WorkerPage | None:
    """None: the worker has begun nothing in the study."""
    latest = f"{OF_WORKER} ORDER BY assignment.id DESC LIMIT 1"
    attempt = read_with_worker(latest, slug, arrival.pseudonym)
    if attempt is None:
        return None
    page = WorkerPage(attempt.study, step_of(attempt), attempt.worker, attempt)
    if attempt.is_live:
        return page
    standing = read_standing(attempt.study, attempt.worker)
    no_work = no_work_reason(standing, arrival, clock.now())
    return replace(page, no_work=no_work, standing=standing)


def step_of(assignment: Assignment) -> str:
    state = State(assignment.state)
    is_after = assignment.position > assignment.last
    return AFTER_THE_LAST.get(state, STATE_STEPS[state]) if is_after else STATE_STEPS[state]


def step_for(no_work: NoWork) -> str:
    return "closed" if no_work in CLOSED_REASONS else "no-work"
