"""Finish: the last form of a unit, the checks (c) and (d), and what follows from them."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from judging import checks, states
from judging.flow.documents import STALE, Result, Submission, check_submission, is_said
from judging.flow.ending import SECONDS
from judging.models import CheckFailure, PooledDocument
from judging.states import By, State

HOLD = """
    SELECT a.id, a.token, a.state, a.position, a.furthest, a."order", a.failed_finishes,
           s.minimum_seconds, s.levels, a.active_at, s.expiry_minutes * interval '1 minute'
    FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
    JOIN judging_worker w ON w.id = a.worker_id
    WHERE s.slug = %s AND w.pseudonym = %s AND a.state IN ('judging', 'revising')
    FOR NO KEY UPDATE OF a
"""
# As in the function that keeps every other form.
KEEP = """
    INSERT INTO judging_judgment AS j
        (assignment_id, position, document_id, score_text, score, graded, justification,
         first_score, submitted_at)
    VALUES (%(assignment)s, %(page)s, %(document)s, %(typed)s, %(number)s, %(graded)s, %(words)s,
            %(number)s, %(now)s)
    ON CONFLICT (assignment_id, position) DO UPDATE
    SET score_text = excluded.score_text, score = excluded.score,
        justification = excluded.justification, submitted_at = excluded.submitted_at,
        first_score = coalesce(j.first_score, excluded.first_score)
    WHERE (j.score_text, j.justification) IS DISTINCT FROM
          (excluded.score_text, excluded.justification)
"""
WORK = """
    SELECT j.position, j.justification, j.score, p.role
    FROM judging_judgment j JOIN judging_pooleddocument p ON p.id = j.document_id
    WHERE j.assignment_id = %s
"""
CLOSE_VISIT = """
    UPDATE judging_visit
    SET closed_at = greatest(%(now)s, opened_at),
        visible_seconds = CASE WHEN position = %(page)s THEN %(visible)s::float8 END
    WHERE assignment_id = %(assignment)s AND closed_at IS NULL AND position <> %(to)s
"""
# They are led there, which is no step back.
LEAD = """
    UPDATE judging_assignment SET position = %s, active_at = %s, deadline_at = %s WHERE id = %s
"""
COMPLETE = """
    WITH completed AS (
        UPDATE judging_assignment
        SET state = %(state)s, seconds = %(seconds)s::float8[], finished_at = %(now)s,
            active_at = %(now)s, completion_code = %(code)s
        WHERE id = %(assignment)s RETURNING study_topic_id
    )
    UPDATE judging_studytopic SET revision = revision + 1
    WHERE id = (SELECT study_topic_id FROM completed)
"""
ASK_FOR_REVISION = """
    WITH marked AS (
        UPDATE judging_judgment SET score_at_failure = score
        WHERE assignment_id = %(assignment)s AND score_at_failure IS NULL
    ), failed AS (
        INSERT INTO judging_checkfailure (assignment_id, "check", at, attempt)
        SELECT %(assignment)s, name, %(now)s, %(attempt)s FROM unnest(%(failed)s) AS name
    )
    UPDATE judging_assignment
    SET state = %(state)s, failed_finishes = %(attempt)s, position = cardinality("order") + 1,
        active_at = %(now)s, deadline_at = %(deadline)s
    WHERE id = %(assignment)s
"""
RESUME = """
    UPDATE judging_assignment a
    SET position = cardinality(a."order"), revise_steps = revise_steps + 1, active_at = %(now)s,
        deadline_at = %(now)s + s.expiry_minutes * interval '1 minute'
    FROM judging_study s
    WHERE s.id = a.study_id AND a.token = %(token)s AND a.state = 'revising'
    AND a.position > cardinality(a."order")
"""
NOWHERE = 0  # where a Finish goes: to none of the pages


@dataclass
class Held:
    """The live assignment that a Finish is about, locked until its transaction ends."""

    id: int
    token: str
    state: State
    position: int
    furthest: int
    order: list[int]
    failed_finishes: int
    minimum_seconds: float
    levels: list[str]
    now: datetime  # not before what was done last: a request may have waited longer than later ones
    deadline: datetime

    @property
    def last(self) -> int:
        return len(self.order)


@transaction.atomic
def finish(
    slug: str, pseudonym: str, token: str | None, submission: Submission, *, now: datetime
) -> Result:
    """Store the page's form, validate all pages, and make checks (c) and (d).

    Both checks are always made. If they pass the unit is completed and its topic has new data;
    if not, the worker comes to the page that says so, and may revise.
    """
    with connection.cursor() as cursor:
        held = _hold(cursor, slug, pseudonym, now)
        if held is None or not _belongs(held, token, submission.position):
            return STALE
        now = held.now
        score, errors = check_submission(submission, held.levels)
        cursor.execute(KEEP, _kept(held, submission, score, now))
        if held.position > held.last and not cursor.rowcount:
            return STALE  # the same form again: they are at its answer
        if errors:
            return Result(submission.position, errors)
        cursor.execute(WORK, [held.id])
        work = cursor.fetchall()
        incomplete = _first_incomplete(held, work)
        cursor.execute(CLOSE_VISIT, _left(held, submission, incomplete or NOWHERE, now))
        if incomplete:
            cursor.execute(LEAD, [incomplete, now, held.deadline, held.id])
            return Result(incomplete, {"page": "incomplete"})
        _decide(cursor, held, {role: score for *_, score, role in work}, now)
    return Result(None, finished=True)


def _hold(cursor: Any, slug: str, pseudonym: str, now: datetime) -> Held | None:
    cursor.execute(HOLD, [slug, pseudonym])
    row = cursor.fetchone()
    if row is None:
        return None
    *known, active_at, expiry = row
    now = max(now, active_at)
    return Held(*(*known, now, now + expiry))


def _belongs(held: Held, token: str | None, position: int) -> bool:
    """Whether a form is of this assignment and of a page that has a Finish."""
    if token not in (None, held.token) or not 1 <= position <= held.furthest:
        return False
    return position == held.last or held.state == State.REVISING


def _kept(held: Held, submission: Submission, score: float | None, now: datetime) -> dict[str, Any]:
    """What KEEP needs. Its count of rows says whether the form was news."""
    typed = submission.score_text
    if held.levels:
        typed = "" if score is None else held.levels[int(score)]
    return {
        "assignment": held.id,
        "page": submission.position,
        "document": held.order[submission.position - 1],
        "typed": typed,
        "number": score,
        "graded": bool(held.levels),
        "words": submission.justification.strip(),
        "now": now,
    }


def _left(held: Held, submission: Submission, to: int, now: datetime) -> dict[str, Any]:
    return {
        "assignment": held.id,
        "page": submission.position,
        "visible": submission.visible_seconds,
        "to": to,
        "now": now,
    }


def _first_incomplete(held: Held, work: Sequence[tuple[Any, ...]]) -> int | None:
    """The first page without a valid score and justification."""
    complete = {
        position
        for position, justification, score, _ in work
        if score is not None and is_said(justification)
    }
    return next((p for p in range(1, held.last + 1) if p not in complete), None)


def _decide(cursor: Any, held: Held, scores: dict[str, float], now: datetime) -> None:
    """Make checks (c) and (d), and complete the assignment or ask for a revision."""
    cursor.execute(SECONDS, {"now": now, "assignment": held.id, "last": held.last})
    seconds = cursor.fetchone()[0]
    role, check = PooledDocument.Role, CheckFailure.Check
    verdicts = {
        check.ANCHORS: checks.anchors_in_order(scores[role.H_K], scores[role.N_K]),
        check.TIME: checks.time_on_every_document(seconds, held.minimum_seconds),
    }
    failed = [name.value for name, passed in verdicts.items() if not passed]
    target = State.REVISING if failed else State.COMPLETED
    states.check("finish", held.state, target, By.WORKER)
    given = {
        "assignment": held.id,
        "state": target,
        "now": now,
        "seconds": seconds,
        "code": secrets.token_hex(5).upper(),
        "failed": failed,
        "attempt": held.failed_finishes + 1,
        "deadline": held.deadline,
    }
    cursor.execute(ASK_FOR_REVISION if failed else COMPLETE, given)


def resume_revision(token: str, now: datetime) -> None:
    """From the message after a failed Finish back to the last document."""
    with connection.cursor() as cursor:
        cursor.execute(RESUME, {"token": token, "now": now})
