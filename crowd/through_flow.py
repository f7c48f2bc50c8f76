"""Artificial workers who come through flow, by a clock of their own, many at once."""

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count

from django.db import connection, transaction
from django.db.models import Max

from crowd.behaviour import Behaviour, PageView, Unit
from crowd.model import Person
from crowd.people import Crowd, Progress
from judging import flow
from judging.flow.ending import own_clock
from judging.models import Assignment
from judging.pages.current_page import STATE_STEPS, step_of
from judging.states import LIVE, State

RETRY_SECONDS = 60.0  # until somebody who finds no free unit looks again
SECONDS_A_UNIT = 15 * 60.0  # roughly
LEAVE = ("leave",)
MOVED_FIELDS = ("state", "practice_step", "wrong_answers", "position")  # what a move may change
# Of a worker, in seconds, until they are done.
Waits = Iterator[float]


def run(
    crowd: Crowd, n_workers: int, now: datetime, progress: Progress, target: int | None = None
) -> None:
    """Let artificial workers judge until `target` units (None: all) are completed.

    `n_workers` are at work at a time. Their clock starts so early that it shows about `now` at the
    end. Whoever has begun a unit ends it.
    """
    with own_clock(crowd.world.study):
        _Simulation(crowd, n_workers, now, progress, target).run()


@contextmanager
def _without_waiting() -> Iterator[None]:
    """A transaction whose commit does not wait for the disk: no person relies on it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
        yield


class _Simulation:
    def __init__(
        self, crowd: Crowd, n_workers: int, now: datetime, progress: Progress, target: int | None
    ) -> None:
        self.crowd, self.progress = crowd, progress
        self.study = crowd.world.study
        self.completed = crowd.completed()
        self.target = crowd.planned if target is None else target
        self.live = 0
        self.over = False
        self.n_workers = n_workers
        rounds = (self.target - self.completed) / n_workers + 1
        begin = now - timedelta(seconds=rounds * SECONDS_A_UNIT)
        last = Assignment.objects.filter(study=self.study).aggregate(at=Max("active_at"))["at"]
        self.now: datetime = max(begin, last or begin)

    def run(self) -> None:
        numbers = count()
        waiting: list[tuple[datetime, int, Waits]] = []
        for n in range(self.n_workers):
            arrives = self.now + timedelta(seconds=n * SECONDS_A_UNIT / self.n_workers)
            heapq.heappush(waiting, (arrives, next(numbers), self._run_workers()))
        while waiting:
            self.now, _, waits = heapq.heappop(waiting)
            with _without_waiting():
                seconds = next(waits, None)
            if seconds is not None:
                wakes_at = self.now + timedelta(seconds=seconds)
                heapq.heappush(waiting, (wakes_at, next(numbers), waits))

    def _run_workers(self) -> Waits:
        while not self.over and (person := self.crowd.next()):
            yield from self._run_worker(person)

    def _run_worker(self, person: Person) -> Waits:
        behaviour = self.crowd.behaviour(person)
        act = behaviour.act(PageView("welcome", LEAVE))
        while act and act.action != "leave":
            yield act.seconds
            while self._has_enough():
                if self.over:
                    return
                yield RETRY_SECONDS
            worker, no_work = flow.admit(self.study, self.crowd.arrival(person), self.now)
            if no_work == flow.NoWork.LATER:
                yield RETRY_SECONDS
                continue
            if no_work or worker is None:
                self.over |= worker is None  # nobody new is taken any more
                return
            assignment = Assignment.objects.get(worker=worker, state__in=LIVE)
            self.live += 1
            yield from self._run_unit(behaviour, person.pseudonym, assignment)
            self.live -= 1
            assignment.refresh_from_db(fields=["state"])
            if assignment.state == State.COMPLETED:
                self.completed += 1
                self.progress(self.completed)
            act = behaviour.act(PageView(STATE_STEPS[State(assignment.state)], ("again",)))

    def _has_enough(self) -> bool:
        """True for good once all is done."""
        self.over = self.completed >= self.target
        return self.completed + self.live >= self.target

    def _run_unit(self, behaviour: Behaviour, pseudonym: str, assignment: Assignment) -> Waits:
        unit = self.crowd.unit(behaviour.person, assignment.study_topic_id, assignment.order)
        while assignment.state in LIVE:
            judges = assignment.state in (State.JUDGING, State.REVISING)
            if judges and assignment.position <= assignment.last:
                yield from self._documents(behaviour, pseudonym, assignment, unit)
            else:
                yield from self._prepare(behaviour, assignment, unit)
            assignment.refresh_from_db(fields=MOVED_FIELDS)

    def _prepare(self, behaviour: Behaviour, assignment: Assignment, unit: Unit) -> Waits:
        step = step_of(assignment)
        drawn = step == "practice" and assignment.practice_step
        line = assignment.lines[assignment.practice_step - 1] if drawn else 0.0
        act = behaviour.act(PageView(step, LEAVE, line=line), unit)
        if act is None:
            raise RuntimeError(f"nothing to do on the page {step}")
        yield act.seconds
        if act.action == "leave":
            flow.leave(assignment.token, self.now)
        elif drawn:
            flow.practise(assignment.token, assignment.practice_step, float(act.score), self.now)
        elif step == "topic":
            chosen = behaviour.choose_option(assignment.study_topic.options, act.answer)
            flow.answer(assignment.token, chosen, self.now, assignment.wrong_answers + 1)
        else:
            verbs = {
                "practice": flow.start_practice,
                "instructions": flow.read_instructions,
                "check": flow.finish_from_list,
                "revise": flow.resume_revision,
            }
            verbs[step](assignment.token, self.now)

    def _documents(
        self, behaviour: Behaviour, pseudonym: str, assignment: Assignment, unit: Unit
    ) -> Waits:
        slug = self.study.slug
        position: int | None = assignment.position
        while position and flow.open_page(slug, pseudonym, position, self.now):
            act = behaviour.act(PageView("document", LEAVE, position=position), unit)
            if act is None:
                raise RuntimeError("nothing to do on a document")
            yield act.seconds
            if act.action == "leave":
                flow.leave(assignment.token, self.now)
                return
            seconds = round(act.seconds, 1)
            submission = flow.Submission(position, act.score, act.justification, seconds)
            if act.action == "finish":
                flow.finish(slug, pseudonym, assignment.token, submission, now=self.now)
                return
            submitted = slug, pseudonym, assignment.token, submission
            position = flow.judge(*submitted, back=act.action == "back", now=self.now).position
