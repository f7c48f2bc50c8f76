"""Drafts: what a worker types on the page they are on, kept before any button is pressed."""

from datetime import datetime

from django.db import transaction

from judging.flow.correcting import Submission, check_submission
from judging.flow.documents import keep
from judging.flow.moves import hold_at_documents, move, not_before


@transaction.atomic
def keep_draft(
    slug: str, pseudonym: str, token: str, since: str, submission: Submission, *, now: datetime
) -> str | None:
    """Store what Back would store, as a draft of the page that the worker is on.

    It is activity, but no visit, no step, and no first score. Whatever happened in the assignment
    since the page was shown makes the draft too late: it never overwrites what came after it.

    Args:
        since: the last activity that the page knows of, as `Page.since` or the last draft names it.

    Returns:
        The activity that this is, for the next draft; None: the draft came too late.
    """
    assignment = hold_at_documents(slug, pseudonym)
    if assignment is None or (token, submission.position, since) != (
        assignment.token,
        assignment.position,
        assignment.active_at.isoformat(),
    ):
        return None
    now = not_before(assignment, now)
    score, _ = check_submission(submission, assignment.study.levels)
    keep(assignment, submission, score, now, is_sent=False)
    move(assignment, "judge", assignment.state, now)
    return now.isoformat()
