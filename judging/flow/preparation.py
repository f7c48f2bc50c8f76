"""Practice, instructions and the question on the topic.

A step is one conditional update: it is made where it is due, and changes nothing elsewhere.
"""

from datetime import datetime
from typing import Any

from django.db import connection, transaction

from judging import checks, states
from judging.flow.ending import fail, live
from judging.models import CheckFailure
from judging.states import By, State

ADVANCE = """
    UPDATE judging_assignment a
    SET {sets}, state = %(target)s, active_at = %(now)s,
        deadline_at = %(now)s + s.expiry_minutes * interval '1 minute'
    FROM judging_study s
    WHERE s.id = a.study_id AND a.token = %(token)s AND a.state = %(source)s AND {due}
"""
FIRST_LINE = ADVANCE.format(sets="practice_step = 1", due="a.practice_step = 0")
NEXT_LINE = ADVANCE.format(
    sets="line_scores = a.line_scores || %(score)s::float8, practice_step = a.practice_step + 1",
    due="a.practice_step = %(line)s AND a.practice_step BETWEEN 1 AND cardinality(a.lines) - 1",
)
# Only if the lines are as they were read; who has practised may not need to again.
LAST_LINE = (
    "SELECT lines, line_scores FROM judging_assignment WHERE token = %s AND state = 'practice'"
    " AND practice_step = %s AND practice_step = cardinality(lines)"
)
PRACTISED = f"""
    WITH passed AS (
        {ADVANCE.format(sets="line_scores = '{}'", due="a.line_scores = %(scores)s::float8[]")}
        RETURNING a.worker_id
    )
    UPDATE judging_worker SET practised = true WHERE id = (SELECT worker_id FROM passed)
"""
READ = ADVANCE.format(sets="position = 0", due="true")
ANSWER = (
    "SELECT t.answer FROM judging_assignment a"
    " JOIN judging_studytopic t ON t.id = a.study_topic_id WHERE a.token = %s"
)
BEGIN = ADVANCE.format(sets="position = 1, furthest = 1, barred = true", due="true")


def start_practice(token: str, now: datetime) -> None:
    """The worker has read what practice is about: the first line follows."""
    _advance(FIRST_LINE, "practise", State.PRACTICE, State.PRACTICE, token, now)


def practise(token: str, line: int, score: float, now: datetime) -> None:
    """Take the score of one practice line; after the last, check (a).

    A form for a line that is not the current one changes nothing.
    """
    given = {"line": line, "score": score}
    if not _advance(NEXT_LINE, "practise", State.PRACTICE, State.PRACTICE, token, now, **given):
        _end_practice(token, line, score, now)


def _end_practice(token: str, line: int, score: float, now: datetime) -> None:
    """Check (a), if this is the last line."""
    with connection.cursor() as cursor:
        cursor.execute(LAST_LINE, [token, line])
        found = cursor.fetchone()
    if found is None:
        return
    lines, scores = found
    if checks.lines_in_order(lines, [*scores, score]):
        given = {"scores": scores}
        _advance(PRACTISED, "practise", State.PRACTICE, State.INSTRUCTIONS, token, now, **given)
    else:
        _fail(token, State.PRACTICE, "practise", CheckFailure.Check.LINES, now)


def read_instructions(token: str, now: datetime) -> None:
    """The worker goes on to the topic."""
    _advance(READ, "read", State.INSTRUCTIONS, State.TOPIC, token, now)


def answer(token: str, option: str, now: datetime) -> bool:
    """Take the chosen option, by its text: check (b), and if it passes the first document.

    Whether the first document follows.
    """
    with connection.cursor() as cursor:
        cursor.execute(ANSWER, [token])
        right = cursor.fetchone()
    if right and checks.right_answer(option, right[0]):
        return _advance(BEGIN, "answer", State.TOPIC, State.JUDGING, token, now)
    _fail(token, State.TOPIC, "answer", CheckFailure.Check.QUESTION, now)
    return False


@transaction.atomic
def _fail(token: str, state: State, move: str, check: CheckFailure.Check, now: datetime) -> None:
    """End an assignment that is still in a state, because a check failed."""
    assignment = live(token)
    if assignment and assignment.state == state:
        fail(assignment, move, check, now)


def _advance(
    statement: str,
    move: str,
    source: State,
    target: State,
    token: str,
    now: datetime,
    **given: Any,
) -> bool:
    """Make a move where it is due; whether it was."""
    states.check(move, source, target, By.WORKER)
    given |= {"token": token, "source": source, "target": target, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        return bool(cursor.rowcount)
