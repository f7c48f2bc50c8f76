"""Artificial workers who come through flow, by a clock of their own, many at once."""

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count

from django.db import connection, transaction
from django.db.models import Max

from crowd.mind import Act, Mind, Sight, Unit
from crowd.model import Person
from crowd.people import Crowd, Progress
from judging import flow
from judging.flow.ending import own_clock
from judging.models import Assignment
from judging.pages.standing import STEPS, step_of
from judging.states import LIVE, State

WAIT = 60.0  # seconds until somebody who finds no free unit looks again
SECONDS_A_UNIT = 15 * 60.0  # roughly
LEAVE = ("leave",)
MOVING = ("state", "practice_step", "wrong_answers", "position")  # what a move may change
# Their waits in seconds, until they are done.
Life = Iterator[float]


def run(
    crowd: Crowd, at_once: int, now: datetime, progress: Progress, wanted: int | None = None
) -> None:
    """Let artificial workers judge until `wanted` units (None: all) are completed.

    `at_once` are at work at a time. Their clock starts so early that it shows about `now` when they
    are done. Whoever has begun a unit ends it.
    """
    with own_clock(crowd.world.study):
        _Course(crowd, at_once, now, progress, wanted).run()


@contextmanager
def _without_waiting() -> Iterator[None]:
    """A transaction whose commit does not wait for the disk: no person is told that it is saved."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
        yield


class _Course:
    """The events of one crowd, in the order of its clock."""

    def __init__(
        self, crowd: Crowd, at_once: int, now: datetime, progress: Progress, wanted: int | None
    ) -> None:
        self.crowd, self.progress = crowd, progress
        self.study = crowd.world.study
        self.completed = crowd.completed()
        self.wanted = crowd.planned if wanted is None else wanted
        self.live = 0
        self.over = False
        self.now = self._begin(now, at_once)
        self.at_once = at_once

    def _begin(self, now: datetime, at_once: int) -> datetime:
        rounds = (self.wanted - self.completed) / at_once + 1
        begin = now - timedelta(seconds=rounds * SECONDS_A_UNIT)
        last = Assignment.objects.filter(study=self.study).aggregate(at=Max("active_at"))["at"]
        return max(begin, last) if last else begin

    def run(self) -> None:
        """Wake whoever's time has come, until nobody waits any more."""
        numbers = count()
        waiting: list[tuple[datetime, int, Life]] = []
        for n in range(self.at_once):
            arrives = self.now + timedelta(seconds=n * SECONDS_A_UNIT / self.at_once)
            heapq.heappush(waiting, (arrives, next(numbers), self._one_after_the_other()))
        while waiting:
            self.now, _, life = heapq.heappop(waiting)
            with _without_waiting():
                seconds = next(life, None)
            if seconds is not None:
                later = self.now + timedelta(seconds=seconds)
                heapq.heappush(waiting, (later, next(numbers), life))

    def _one_after_the_other(self) -> Life:
        while not self.over and (person := self.crowd.next()):
            yield from self._live(person)

    def _live(self, person: Person) -> Life:
        """From Welcome until they go home."""
        mind = self.crowd.mind(person)
        act = mind.act(Sight("welcome", LEAVE))
        while act and act.action != "leave":
            yield act.seconds
            while self._is_enough():
                if self.over:
                    return
                yield WAIT
            worker, no_work = flow.admit(self.study, self.crowd.arrival(person), self.now)
            if no_work == flow.NoWork.LATER:
                yield WAIT
                continue
            if no_work or worker is None:
                self.over |= worker is None  # nobody new is taken any more
                return
            assignment = Assignment.objects.get(worker=worker, state__in=LIVE)
            self.live += 1
            yield from self._unit(mind, person.pseudonym, assignment)
            self.live -= 1
            assignment.refresh_from_db(fields=["state"])
            if assignment.state == State.COMPLETED:
                self.completed += 1
                self.progress(self.completed)
            act = mind.act(Sight(STEPS[State(assignment.state)], ("again",)))

    def _is_enough(self) -> bool:
        """Whether nobody should begin another unit just now; for good, once all is done."""
        self.over = self.completed >= self.wanted
        return self.completed + self.live >= self.wanted

    def _unit(self, mind: Mind, pseudonym: str, assignment: Assignment) -> Life:
        unit = self.crowd.world.unit(assignment.study_topic_id, assignment.order)
        while assignment.state in LIVE:
            if assignment.state in (State.JUDGING, State.REVISING) and assignment.position <= len(
                assignment.order
            ):
                yield from self._documents(mind, pseudonym, assignment, unit)
            else:
                yield from self._prepare(mind, assignment, unit)
            assignment.refresh_from_db(fields=MOVING)

    def _prepare(self, mind: Mind, assignment: Assignment, unit: Unit) -> Life:
        """One page that is not a document's."""
        step = step_of(assignment)
        drawn = step == "practice" and assignment.practice_step
        line = assignment.lines[assignment.practice_step - 1] if drawn else 0.0
        act = mind.act(Sight(step, LEAVE, line=line), unit)
        if act is None:
            raise RuntimeError(f"nothing to do on the page {step}")
        yield act.seconds
        if act.action == "leave":
            flow.leave(assignment.token, self.now)
        elif drawn:
            flow.practise(assignment.token, assignment.practice_step, float(act.score), self.now)
        elif step == "topic":
            chosen = mind.chooses(assignment.study_topic.options, act.answer)
            flow.answer(assignment.token, chosen, self.now, assignment.wrong_answers + 1)
        else:
            verbs = {
                "practice": flow.start_practice,
                "instructions": flow.read_instructions,
                "check": flow.finish_from_list,
                "revise": flow.resume_revision,
            }
            verbs[step](assignment.token, self.now)

    def _documents(self, mind: Mind, pseudonym: str, assignment: Assignment, unit: Unit) -> Life:
        """Page after page, until they leave or press Finish."""
        slug = self.study.slug
        position: int | None = assignment.position
        while position and flow.open_page(slug, pseudonym, position, self.now):
            act = mind.act(Sight("document", LEAVE, position=position), unit)
            if act is None:
                raise RuntimeError("nothing to do on a document")
            yield act.seconds
            if act.action == "leave":
                flow.leave(assignment.token, self.now)
                return
            submission = _submission(position, act)
            if act.action == "finish":
                flow.finish(slug, pseudonym, assignment.token, submission, now=self.now)
                return
            back = act.action == "back"
            position = flow.judge(
                slug, pseudonym, assignment.token, submission, back=back, now=self.now
            ).position


def _submission(position: int, act: Act) -> flow.Submission:
    return flow.Submission(position, act.score, act.justification, round(act.seconds, 1))
