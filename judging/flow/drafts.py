from datetime import datetime

from django.db import transaction

from judging.flow.documents import save_judgment
from judging.flow.moves import at_least_last_activity, lock_at_documents, move
from judging.flow.submission_checks import Submission


@transaction.atomic
def autosave_draft(
    slug: str, pseudonym: str, token: str, submission: Submission, *, now: datetime
) -> int | None:
    """Store what is typed as a draft of the current page: activity, but no visit, step or answer.

    Returns the version for the next draft; None: the assignment has changed since the page was
    shown.
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
