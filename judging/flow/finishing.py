from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from judging import checks
from judging.flow.documents import (
    NO_DOCUMENT_PAGE,
    Result,
    Stored,
    browser_counts,
    is_list_next,
    is_within_reach,
    judge,
    save_judgment,
)
from judging.flow.ending import exhaust, first_incomplete, new_code
from judging.flow.moves import at_least_last_activity, lock_at_documents, lock_live, move
from judging.flow.reading import read_judgments, read_worker
from judging.flow.submission_checks import Submission, check_submission
from judging.flow.visits import leave_page, seconds_by_page, update_browser_counts
from judging.models import Assignment, CheckFailure, Judgment, PooledDocument
from judging.payments.earnings import earn
from judging.states import State
from web.database.rows import execute, select

Check = CheckFailure.Check
ROLES = "SELECT id, role FROM judging_pooleddocument WHERE id = ANY(%s)"
NEW_REVISION = "UPDATE judging_studytopic SET revision = revision + 1 WHERE id = %s"


@transaction.atomic
def finish(
    slug: str, pseudonym: str, token: str | None, submission: Submission, *, now: datetime
) -> Result:
    """Store the page's form, validate all pages, and make checks (c) and (d), always both.

    Where a list of the answers comes first, the form is stored as by Next, which leads there.
    """
    assignment = lock_at_documents(slug, pseudonym)
    if assignment is None or not _has_finish(assignment, token, submission.position):
        return NO_DOCUMENT_PAGE
    if is_list_next(assignment):
        return judge(slug, pseudonym, token, submission, back=False, now=now)
    now = at_least_last_activity(assignment, now)
    score, errors = check_submission(submission, assignment.study.levels)
    stored = save_judgment(assignment, submission, None if errors else score, now)
    if stored == Stored.OLDER:
        return Result(submission.position, is_older=True)
    if _is_at_revise_page(assignment) and stored == Stored.UNCHANGED:
        return NO_DOCUMENT_PAGE  # the same form again: they are at its answer
    if errors:
        update_browser_counts(assignment, browser_counts(assignment, submission))
        return Result(submission.position, errors)
    counted = browser_counts(assignment, submission)
    return _finish(assignment, now, counted, repeats=stored == Stored.UNCHANGED)


@transaction.atomic
def finish_from_list(token: str, now: datetime) -> Result:
    assignment = lock_live(token, State.JUDGING)
    if assignment is None or assignment.position <= assignment.last:
        return NO_DOCUMENT_PAGE
    return _finish(assignment, at_least_last_activity(assignment, now), None)


def _is_at_revise_page(assignment: Assignment) -> bool:
    return assignment.state == State.REVISING and assignment.position > assignment.last


def _finish(
    assignment: Assignment,
    now: datetime,
    counted: Mapping[str, float | None] | None,
    *,
    repeats: bool = False,
) -> Result:
    judgments = read_judgments("WHERE assignment_id = %s", assignment.pk)
    incomplete = first_incomplete(assignment, judgments)
    leave_page(assignment, incomplete, now, counted)
    if incomplete:  # they are led there, which is no step back
        move(assignment, "judge", assignment.state, now, repeats=repeats, position=incomplete)
        return Result(incomplete, {"page": "incomplete"})
    _apply_checks(assignment, judgments, now)
    return Result(None, finished=True)


def _has_finish(assignment: Assignment, token: str | None, position: int) -> bool:
    if not is_within_reach(assignment, token, position):
        return False
    return position == assignment.last or assignment.state == State.REVISING


def _apply_checks(assignment: Assignment, judgments: Sequence[Judgment], now: datetime) -> None:
    seconds = seconds_by_page([assignment], now)[assignment.pk]
    failed = _failed_checks(assignment, judgments, seconds)
    fields: dict[str, Any] = {"finished_at": now, "seconds": seconds}
    if not failed:
        move(assignment, "finish", State.COMPLETED, now, completion_code=new_code(), **fields)
        earn(read_worker(assignment), now)
        execute(NEW_REVISION, assignment.study_topic_id)
        return
    attempt = _record_failures(assignment, failed, now)
    if attempt == assignment.study.max_failed_finishes:
        exhaust(assignment, "finish", now, failed_finishes=attempt, seconds=seconds)
    else:
        changes: dict[str, Any] = {"failed_finishes": attempt, "position": assignment.last + 1}
        move(assignment, "finish", State.REVISING, now, **changes)


def _failed_checks(
    assignment: Assignment, judgments: Sequence[Judgment], seconds: Sequence[float]
) -> list[Check]:
    scores = {judgment.document_id: judgment.score for judgment in judgments}
    roles = {role: key for key, role in select(ROLES, assignment.order)}
    h_k, n_k = (scores[roles[role]] for role in (PooledDocument.Role.H_K, PooledDocument.Role.N_K))
    assert h_k is not None  # noqa: S101 - every page has an answer
    assert n_k is not None  # noqa: S101
    passed = {
        Check.ANCHORS: checks.anchors_in_order(h_k, n_k),
        Check.TIME: checks.time_on_every_document(seconds, assignment.study.minimum_seconds),
    }
    return [check for check in passed if not passed[check]]


def _record_failures(assignment: Assignment, failed: Sequence[Check], now: datetime) -> int:
    """Also stores the scores at the first failure; returns the number of this try."""
    attempt = assignment.failed_finishes + 1
    CheckFailure.objects.bulk_create(
        CheckFailure(assignment=assignment, check_name=check, at=now, attempt=attempt)
        for check in failed
    )
    assignment.judgments.filter(score_at_failure=None).update(score_at_failure=F("score"))
    return attempt


@transaction.atomic
def resume_revision(token: str, now: datetime) -> None:
    """Go from the message after a failed Finish back to the last document."""
    assignment = lock_live(token, State.REVISING)
    if assignment and assignment.position > assignment.last:
        steps = assignment.revise_steps + 1
        now = at_least_last_activity(assignment, now)
        changes: dict[str, Any] = {"position": assignment.last, "revise_steps": steps}
        move(assignment, "judge", State.REVISING, now, **changes)
