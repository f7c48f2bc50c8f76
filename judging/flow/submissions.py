"""What a participant platform says of a worker's submission: that it is over, or goes on.

A submission is one visit that the platform pays. Whoever calls these has just asked the platform,
so they may be called in any order, and again.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from judging.flow.ending import end
from judging.models import Assignment, PlatformAccount, Study, Worker
from judging.platforms import PLATFORMS
from judging.states import By, State


@transaction.atomic
def end_submissions(
    study: Study, platform: str, over: Mapping[str, str], now: datetime
) -> list[Assignment]:
    """Take the unit in hand from workers whose submission was returned or has timed out.

    What they entered is deleted, the unit is free, and they begin no other by this submission. A
    completed unit stays as it is.

    Args:
        over: the platform's id of each submission, by its id of the participant.

    Returns:
        The assignments that have ended by it.
    """
    accounts = [
        account
        for account in _accounts(study, platform, over).order_by("pk")
        if _session(account) in ("", over[account.external_id])
    ]
    keys = [account.pk for account in accounts]
    PlatformAccount.objects.filter(pk__in=keys).update(submission_over=True)
    workers = [account.worker_id for account in accounts]
    live = Assignment.objects.locked().live().select_related("study").filter(worker__in=workers)
    held = list(live.order_by("pk"))
    moment = max([now, *(assignment.active_at for assignment in held)])
    end(held, "return", State.RETURNED, By.PLATFORM, moment)
    return held


@transaction.atomic
def confirm_submissions(study: Study, platform: str, under_way: Mapping[str, str]) -> None:
    """Believe that workers have submissions under way, as the platform itself says so.

    They are verified by it, and another browser that comes with the submission is theirs.

    Args:
        under_way: the platform's id of each submission, by its id of the participant.
    """
    session = PLATFORMS[platform].session
    accounts = list(_accounts(study, platform, under_way).order_by("pk"))
    for account in accounts:
        submission = under_way[account.external_id]
        if account.submission_over or _session(account) != submission:
            account.ids = account.ids | {session: submission}
            account.submission_over = False
            account.save(update_fields=["submission_over"])
    workers = [account.worker_id for account in accounts]
    Worker.objects.filter(pk__in=workers, verified=False).update(verified=True)


def _accounts(
    study: Study, platform: str, external_ids: Iterable[str]
) -> QuerySet[PlatformAccount]:
    """Accounts, locked until the transaction ends."""
    accounts = PlatformAccount.objects.select_for_update(of=("self",), no_key=True)
    return accounts.known_as(*external_ids).filter(study=study, platform=platform)


def _session(account: PlatformAccount) -> str:
    return str(account.ids.get(PLATFORMS[account.platform].session, ""))
