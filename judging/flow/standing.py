"""How a worker stands in a study: what they have begun, and what there may be for them."""

from dataclasses import dataclass
from typing import NamedTuple

from judging.models import Study, Worker
from judging.states import LIVE, PAID, State
from web.database.rows import select

ATTEMPTS = """
SELECT attempt.state, attempt.barred, attempt.unit_id, attempt.study_topic_id,
    attempt.completion_code, topic.title
FROM judging_assignment attempt
JOIN judging_studytopic study_topic ON study_topic.id = attempt.study_topic_id
JOIN judging_topic topic ON topic.id = study_topic.topic_id
WHERE attempt.worker_id = %s ORDER BY attempt.finished_at
"""
TOPICS = """
SELECT count(*),
    count(*) FILTER (WHERE study_topic.id <> ALL(%s::bigint[]) AND EXISTS (
        SELECT FROM judging_unit unit
        WHERE unit.study_id = study_topic.study_id AND unit.study_topic_id = study_topic.id
            AND unit.free AND unit.id <> ALL(%s::bigint[])
    )),
    EXISTS (SELECT FROM judging_platformaccount WHERE worker_id = %s AND submission_over)
FROM judging_studytopic study_topic WHERE study_topic.study_id = %s
"""


class Attempt(NamedTuple):
    state: State
    barred: bool
    unit: int
    study_topic: int
    code: str | None  # it was paid
    topic: str


@dataclass(frozen=True)
class Standing:
    """attempts: those that have ended by their end; topics: of the study; free_topics: those with a
    free unit that the worker has not had, and not barred; submission_over: as their platform says.

    A newcomer has no worker, and no attempts.
    """

    study: Study
    worker: Worker | None
    attempts: list[Attempt]
    topics: int
    free_topics: int
    submission_over: bool

    @property
    def paid(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.code is not None]

    @property
    def has_passed(self) -> bool:
        return any(attempt.state in PAID for attempt in self.attempts)

    @property
    def has_place(self) -> bool:
        """They have a unit in progress, or were paid for one."""
        return any(attempt.state in LIVE or attempt.code for attempt in self.attempts)

    @property
    def attempts_left(self) -> int | None:
        """At practice or question; None: any number."""
        if not self.study.attempts:
            return None
        failed = sum(attempt.state == State.FAILED for attempt in self.attempts)
        return max(0, self.study.attempts - failed)

    @property
    def sets_left(self) -> int:
        most = self.study.max_units
        return self.free_topics if most is None else min(self.free_topics, most - len(self.paid))


def read_standing(study: Study, worker: Worker | None) -> Standing:
    """Lock the study before that where the answer must stay true."""
    key = worker.pk if worker else None
    attempts = [Attempt(State(state), *more) for state, *more in select(ATTEMPTS, key)]
    barred = [attempt.study_topic for attempt in attempts if attempt.barred]
    had = [attempt.unit for attempt in attempts]
    [[topics, free, is_over]] = select(TOPICS, barred, had, key, study.pk)
    return Standing(study, worker, attempts, topics, free, is_over)
