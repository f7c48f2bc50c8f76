"""What a participant platform says of a worker's submission: that it is over, or goes on.

A submission is one visit that the platform pays. Whoever calls these has just asked the platform,
so they may be called in any order, and again.
"""

from datetime import datetime

from django.db import transaction

from judging.flow.ending import end
from judging.flow.moves import not_before
from judging.models import Assignment, PlatformAccount, Study, Worker
from judging.platforms import PLATFORMS
from judging.states import By, State


@transaction.atomic
def end_submission(
    study: Study, platform: str, external_id: str, submission: str, now: datetime
) -> Assignment | None:
    """Take the unit in hand from a worker whose submission was returned or has timed out.

    What they entered is deleted, the unit is free, and they begin no other by this submission. A
    completed unit stays as it is.

    Args:
        external_id: the platform's id of the participant.
        submission: its id of the submission.

    Returns:
        The assignment that has ended by it; None: there was none.
    """
    account = _account(study, platform, external_id)
    if account is None or _session(account) not in ("", submission):
        return None
    PlatformAccount.objects.filter(pk=account.pk).update(submission_over=True)
    held = Assignment.objects.locked().select_related("study").live().filter(worker=account.worker)
    for assignment in held:
        end([assignment], "return", State.RETURNED, By.PLATFORM, not_before(assignment, now))
        return assignment
    return None


@transaction.atomic
def confirm_submission(study: Study, platform: str, external_id: str, submission: str) -> None:
    """Believe that a worker has this submission under way, as the platform itself says so.

    They are verified by it, and another browser that comes with it is theirs.
    """
    account = _account(study, platform, external_id)
    if account is None:
        return
    session = PLATFORMS[platform].session
    if account.submission_over or _session(account) != submission:
        account.ids = account.ids | {session: submission}
        account.submission_over = False
        account.save(update_fields=["ids", "submission_over"])
    Worker.objects.filter(pk=account.worker_id, verified=False).update(verified=True)


def _account(study: Study, platform: str, external_id: str) -> PlatformAccount | None:
    """The account, locked until the transaction ends."""
    accounts = PlatformAccount.objects.select_for_update(of=("self",), no_key=True)
    of_platform = accounts.filter(study=study, platform=platform)
    return of_platform.select_related("worker").filter(external_id=external_id).first()


def _session(account: PlatformAccount) -> str:
    return str(account.ids.get(PLATFORMS[account.platform].session, ""))
