"""Drafts: what a worker types on the current page, stored before any button is pressed."""

from datetime import datetime

from django.db import transaction

from judging.flow.documents import save_judgment
from judging.flow.moves import at_least_last_activity, lock_at_documents, move
from judging.flow.submission_checks import Submission


@transaction.atomic
def autosave_draft(
    slug: str, pseudonym: str, token: str, submission: Submission, *, now: datetime
) -> int | None:
    """Store what is typed as a draft of the page that the worker is on.

    It is activity, but no visit, no step, and no answer. Whatever happened in the assignment since
    the page was shown, by `submission.shown_version`, makes the draft too late.

    Returns:
        The version of the assignment now, for the next draft; None: the draft came too late.
    """
    assignment = lock_at_documents(slug, pseudonym)
    if assignment is None or (token, submission.position, submission.shown_version) != (
        assignment.token,
        assignment.position,
        assignment.version,
    ):
        return None
    now = at_least_last_activity(assignment, now)
    save_judgment(assignment, submission, None, now)
    move(assignment, "judge", assignment.state, now)
    return assignment.version
