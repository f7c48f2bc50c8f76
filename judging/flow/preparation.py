"""Practice, instructions and the question on the topic; a form of another step changes nothing."""

from datetime import datetime

from django.db import transaction

from judging import checks
from judging.flow.ending import fail
from judging.flow.moves import hold, move
from judging.models import Assignment, CheckFailure
from judging.states import State


@transaction.atomic
def start_practice(token: str, now: datetime) -> None:
    """Go on from the text about practice to the first line."""
    assignment = hold(token, State.PRACTICE)
    if assignment and assignment.practice_step == 0:
        move(assignment, "practise", State.PRACTICE, now, practice_step=1)


@transaction.atomic
def practise(token: str, line: int, score: float, now: datetime) -> None:
    """Take the score of one practice line; after the last, make check (a)."""
    assignment = hold(token, State.PRACTICE)
    if assignment is None or line < 1 or assignment.practice_step != line:
        return
    scores = [*assignment.line_scores, score]
    if line < len(assignment.lines):
        changes = {"line_scores": scores, "practice_step": line + 1}
        move(assignment, "practise", State.PRACTICE, now, **changes)
    elif checks.lines_in_order(assignment.lines, scores):
        _pass_practice(assignment, now)
    else:
        fail(assignment, "practise", CheckFailure.Check.LINES, now)


def _pass_practice(assignment: Assignment, now: datetime) -> None:
    """Check (a) is passed: the instructions follow, and a worker need not practise twice."""
    move(assignment, "practise", State.INSTRUCTIONS, now, line_scores=[])
    worker = assignment.worker
    worker.practised = True
    worker.save(update_fields=["practised"])


@transaction.atomic
def read_instructions(token: str, now: datetime) -> None:
    """Go on from the instructions to the topic."""
    if assignment := hold(token, State.INSTRUCTIONS):
        move(assignment, "read", State.TOPIC, now)


@transaction.atomic
def answer(token: str, option: str, now: datetime) -> bool:
    """Take the chosen option, by its text, and make check (b); returns whether it is passed.

    If so, the first document follows.
    """
    assignment = hold(token, State.TOPIC)
    if assignment is None:
        return False
    if checks.right_answer(option, assignment.study_topic.answer):
        move(assignment, "answer", State.JUDGING, now, position=1, furthest=1, barred=True)
        return True
    fail(assignment, "answer", CheckFailure.Check.QUESTION, now)
    return False
