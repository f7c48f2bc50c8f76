"""Practice, instructions and the question on the topic."""

from datetime import datetime, timedelta

from django.db import transaction

from judging import checks, states
from judging.flow.ending import fail, live
from judging.models import Assignment, CheckFailure, Worker
from judging.states import By, State


@transaction.atomic
def start_practice(token: str, now: datetime) -> None:
    """The worker has read what practice is about: the first line follows."""
    assignment = live(token)
    if assignment and assignment.state == State.PRACTICE and assignment.practice_step == 0:
        _move(assignment, "practise", State.PRACTICE, now, practice_step=1)


@transaction.atomic
def practise(token: str, line: int, score: float, now: datetime) -> None:
    """Take the score of one practice line; after the last, check (a).

    A form for a line that is not the current one changes nothing.
    """
    assignment = live(token)
    if not (
        assignment and assignment.state == State.PRACTICE and assignment.practice_step == line > 0
    ):
        return
    scores = [*assignment.line_scores, score]
    if line < len(assignment.lines):
        _move(
            assignment, "practise", State.PRACTICE, now, line_scores=scores, practice_step=line + 1
        )
    elif checks.lines_in_order(assignment.lines, scores):
        _move(assignment, "practise", State.INSTRUCTIONS, now, line_scores=[])
        Worker.objects.filter(pk=assignment.worker_id).update(practised=True)
    else:
        fail(assignment, "practise", CheckFailure.Check.LINES, now)


@transaction.atomic
def read_instructions(token: str, now: datetime) -> None:
    """The worker goes on to the topic."""
    assignment = live(token)
    if assignment and assignment.state == State.INSTRUCTIONS:
        _move(assignment, "read", State.TOPIC, now)


@transaction.atomic
def answer(token: str, option: str, now: datetime) -> None:
    """Take the chosen option, by its text: check (b), and if it passes the first document."""
    assignment = live(token)
    if not (assignment and assignment.state == State.TOPIC):
        return
    if checks.right_answer(option, assignment.study_topic.answer):
        _move(assignment, "answer", State.JUDGING, now, position=1, furthest=1, barred=True)
    else:
        fail(assignment, "answer", CheckFailure.Check.QUESTION, now)


def _move(
    assignment: Assignment, move: str, target: State, now: datetime, **changes: object
) -> None:
    states.check(move, assignment.state, target, By.WORKER)
    deadline = now + timedelta(minutes=assignment.study.expiry_minutes)
    changes |= {"state": target, "active_at": now, "deadline_at": deadline}
    Assignment.objects.filter(pk=assignment.pk).update(**changes)
