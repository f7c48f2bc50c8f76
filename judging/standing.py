"""Where a worker stands: the one page that belongs to their true state."""

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from django.db import connection

from judging import states
from judging.flow.offer import NoWork, no_work_reason
from judging.models import Study, StudyTopic
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
NOT_HERE = (NoWork.CLOSED, NoWork.OTHERS)
# A function of the database, made by the migration `pages`: every request of every worker asks it.
PLACE = "SELECT * FROM judging_place(%s, %s)"
CODES = """
    SELECT a.completion_code, t.title
    FROM judging_assignment a JOIN judging_studytopic st ON st.id = a.study_topic_id
    JOIN judging_topic t ON t.id = st.topic_id
    WHERE a.worker_id = %s AND a.completion_code IS NOT NULL ORDER BY a.finished_at
"""
ASKED = (
    *("question", "options", "answer"),
    *("topic__title", "topic__description", "topic__narrative"),
)


@dataclass(frozen=True)
class Attempt:
    """A worker's latest assignment, as its pages need it."""

    id: int
    study_topic_id: int
    token: str
    state: State
    lines: list[int]
    line_scores: list[float]
    practice_step: int
    option_order: list[int]
    position: int
    last: int
    barred: bool
    payment: Decimal
    completion_code: str | None

    @property
    def is_live(self) -> bool:
        return self.state in states.LIVE

    @property
    def step(self) -> str:
        """The step of the page that it is on."""
        if self.state == State.REVISING and self.position > self.last:
            return "revise"
        return STEPS[self.state]

    @property
    def asked(self) -> StudyTopic:
        """The topic, and the question on it."""
        return _asked(self.study_topic_id)


@dataclass(frozen=True)
class Place:
    """A page, and what it is about. `earned` are the worker's completion codes, oldest first."""

    study: Study
    step: str
    worker: int | None = None  # their key; None: they have not begun
    earned: tuple[str, ...] = ()
    assignment: Attempt | None = None
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
        return self.assignment is not None and self.assignment.is_live


def standing(slug: str, pseudonym: str | None, *, simulated: bool = False) -> Place | None:
    """The page of the worker with this pseudonym, of somebody new if there is none.

    None: there is no such study.
    """
    with connection.cursor() as cursor:
        cursor.execute(PLACE, [slug, pseudonym or ""])
        row = cursor.fetchone()
    if row is None:
        return None
    key, version, worker, earned, *latest = row
    study, earned = _study(key, version), tuple(earned)
    if latest[0] is None:
        return _of_somebody_new(study, worker, simulated)
    latest[3] = State(latest[3])
    attempt = Attempt(*latest)
    no_work = None if attempt.is_live else no_work_reason(study, worker)
    return Place(study, attempt.step, worker, earned, attempt, no_work)


def _of_somebody_new(study: Study, worker: int | None, simulated: bool) -> Place:
    if no_work := no_work_reason(study, worker, simulated=simulated):
        return Place(study, page_without(no_work), worker, no_work=no_work)
    return Place(study, "welcome", worker)


def page_without(no_work: NoWork) -> str:
    """The page of who is told that there is no work."""
    return "closed" if no_work in NOT_HERE else "no-work"


@lru_cache(maxsize=64)
def _study(key: int, version: str) -> Study:
    """A study, read anew whenever its row has another version. Nobody changes the object."""
    return Study.objects.get(pk=key)


@lru_cache(maxsize=256)
def _asked(key: int) -> StudyTopic:
    """A study's topic. It does not change any more when somebody has an assignment on it."""
    return StudyTopic.objects.select_related("topic").only(*ASKED).get(pk=key)


def codes(worker: int | None) -> list[tuple[str, str]]:
    """Completion code and topic of the units a worker has completed, oldest first."""
    if worker is None:
        return []
    with connection.cursor() as cursor:
        cursor.execute(CODES, [worker])
        return cursor.fetchall()
