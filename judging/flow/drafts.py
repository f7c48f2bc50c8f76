"""Drafts: what a worker types on the page they are on, kept before any button is pressed."""

from datetime import datetime

from django.db import transaction

from judging.flow.correcting import Submission
from judging.flow.documents import keep
from judging.flow.moves import hold_at_documents, move, not_before


@transaction.atomic
def keep_draft(
    slug: str, pseudonym: str, token: str, submission: Submission, *, now: datetime
) -> int | None:
    """Store what is typed as a draft of the page that the worker is on.

    It is activity, but no visit, no step, and no answer. Whatever happened in the assignment since
    the page was shown, by `submission.since`, makes the draft too late.

    Returns:
        The version of the assignment now, for the next draft; None: the draft came too late.
    """
    assignment = hold_at_documents(slug, pseudonym)
    if assignment is None or (token, submission.position, submission.since) != (
        assignment.token,
        assignment.position,
        assignment.version,
    ):
        return None
    now = not_before(assignment, now)
    keep(assignment, submission, None, now)
    move(assignment, "judge", assignment.state, now)
    return assignment.version
