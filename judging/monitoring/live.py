from dataclasses import dataclass
from datetime import datetime

from django.db.models import BooleanField, Count, ExpressionWrapper, Q

from judging.flow.moves import idle_timeout
from judging.models import Assignment, Study
from judging.monitoring.words import duration
from judging.states import LIVE, State

STEPS = {
    State.PRACTICE: "practice",
    State.INSTRUCTIONS: "instructions",
    State.TOPIC: "topic",
    State.JUDGING: "documents",
    State.REVISING: "revising",
}
SHOWN = 50
# Of the time without activity after which a unit expires: the rest is about to run out.
NEAR_EXPIRY = 0.75


@dataclass(frozen=True)
class InProgress:
    assignment: Assignment
    now: datetime
    near: bool

    @property
    def page(self) -> str:
        attempt = self.assignment
        if attempt.state == State.PRACTICE and attempt.practice_step:
            return f"practice, line {attempt.practice_step} of {len(attempt.lines)}"
        if attempt.state in (State.JUDGING, State.REVISING):
            revising = ", revising" if attempt.state == State.REVISING else ""
            if attempt.position > attempt.last:
                return "told to revise"
            return f"document {attempt.position} of {attempt.last}{revising}"
        return STEPS[State(attempt.state)]

    @property
    def since(self) -> str:
        return duration((self.now - self.assignment.started_at).total_seconds())

    @property
    def idle(self) -> str:
        return duration((self.now - self.assignment.active_at).total_seconds())

    @property
    def left(self) -> str:
        seconds = (self.assignment.deadline_at - self.now).total_seconds()
        return duration(seconds) if seconds > 0 else "now"


@dataclass(frozen=True)
class Live:
    steps: list[tuple[str, int]]
    near: int
    rows: list[InProgress]

    @property
    def total(self) -> int:
        return sum(count for _, count in self.steps)


def live(study: Study, now: datetime) -> Live:
    alive = Assignment.objects.filter(study=study, state__in=LIVE)
    # Until its first document is sent, a unit expires sooner.
    before, judging = (
        now + (1 - NEAR_EXPIRY) * idle_timeout(study, state, 0)
        for state in (State.TOPIC, State.REVISING)
    )
    is_before = Q(pk__in=alive.before_judgment().values("pk"))
    near = Q(is_before, deadline_at__lte=before) | Q(~is_before, deadline_at__lte=judging)
    counts = {
        row["state"]: row
        for row in alive.values("state").annotate(n=Count("id"), near=Count("id", filter=near))
    }
    steps = [(name, counts[state]["n"] if state in counts else 0) for state, name in STEPS.items()]
    longest = alive.select_related("worker", "study_topic__topic", "unit").order_by("active_at")
    longest = longest.annotate(near=ExpressionWrapper(near, BooleanField()))
    rows = [InProgress(a, now, a.near) for a in longest[:SHOWN]]
    return Live(steps, sum(row["near"] for row in counts.values()), rows)
