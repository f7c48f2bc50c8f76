"""Practice, instructions and the question on the topic; a form of another step changes nothing."""

from datetime import datetime
from typing import Any

from django.db import transaction

from judging import checks
from judging.flow.ending import fail
from judging.flow.moves import lock_live, move
from judging.models import Assignment, CheckFailure
from judging.states import State

Check = CheckFailure.Check


@transaction.atomic
def start_practice(token: str, now: datetime) -> None:
    assignment = lock_live(token, State.PRACTICE)
    if assignment and assignment.practice_step == 0:
        move(assignment, "practise", State.PRACTICE, now, practice_step=1)


@transaction.atomic
def practise(token: str, line: int, score: float, now: datetime) -> None:
    assignment = lock_live(token, State.PRACTICE)
    if assignment is None or line < 1 or assignment.practice_step != line:
        return
    scores = [*assignment.line_scores, score]
    if line < len(assignment.lines):
        changes: dict[str, Any] = {"line_scores": scores, "practice_step": line + 1}
        move(assignment, "practise", State.PRACTICE, now, **changes)
    elif checks.lines_in_order(assignment.lines, scores):
        _pass_practice(assignment, scores, now)
    else:
        assignment.line_scores = scores
        CheckFailure.objects.create(
            assignment=assignment, check_name=Check.LINES, at=now, attempt=1
        )
        fail(assignment, "practise", now)


def _pass_practice(assignment: Assignment, scores: list[float], now: datetime) -> None:
    worker = assignment.worker
    shown = assignment.study.ratios_after_practice and not worker.practised
    stored_scores = scores if shown else []
    move(assignment, "practise", State.INSTRUCTIONS, now, line_scores=stored_scores)
    worker.practised = True
    worker.save(update_fields=["practised"])


@transaction.atomic
def read_instructions(token: str, now: datetime) -> None:
    if assignment := lock_live(token, State.INSTRUCTIONS):
        move(assignment, "read", State.TOPIC, now, line_scores=[])


@transaction.atomic
def answer(token: str, option: str, now: datetime, attempt: int = 1) -> bool:
    """Take the chosen option, by its text, and make check (b); returns whether it is passed.

    The topic is not offered again in either case. attempt: the number of this answer, from 1; any
    but the next changes nothing.
    """
    assignment = lock_live(token, State.TOPIC)
    if assignment is None or attempt != assignment.wrong_answers + 1:
        return False
    if checks.right_answer(option, assignment.study_topic.answer):
        move(assignment, "answer", State.JUDGING, now, position=1, furthest=1, barred=True)
        return True
    _record_wrong_answer(assignment, attempt, now)
    return False


def _record_wrong_answer(assignment: Assignment, attempt: int, now: datetime) -> None:
    failure = {"check_name": Check.QUESTION, "at": now, "attempt": attempt}
    CheckFailure.objects.create(assignment=assignment, **failure)
    assignment.wrong_answers, assignment.barred = attempt, True
    if attempt < assignment.study.tries_at_question:
        move(assignment, "answer", State.TOPIC, now, wrong_answers=attempt, barred=True)
    else:
        fail(assignment, "answer", now)
