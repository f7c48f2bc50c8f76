"""What a participant platform reports of a worker's submission: that it is over, or active.

A submission is one visit that the platform pays. The caller has just asked the platform, so these
may be called in any order, and again.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from judging.flow.ending import end
from judging.models import Assignment, PlatformAccount, Study, Worker
from judging.platforms import PLATFORMS
from judging.states import Actor, State
from web.encryption import digests


@transaction.atomic
def end_submissions(
    study: Study, platform: str, ended: Mapping[str, str], now: datetime
) -> list[Assignment]:
    """Take the unit in progress from workers whose submission was returned or has timed out.

    What they entered is deleted, the unit is free, and this submission begins no other; a completed
    unit stays. ended: the platform's id of each submission, by its id of the participant. Returns
    the assignments that have ended by it.
    """
    accounts = [
        account
        for account in _accounts(study, platform, ended).order_by("pk")
        if _session(account) in ("", ended[account.external_id])
    ]
    keys = [account.pk for account in accounts]
    PlatformAccount.objects.filter(pk__in=keys).update(submission_over=True)
    workers = [account.worker_id for account in accounts]
    live = Assignment.objects.locked().live().select_related("study").filter(worker__in=workers)
    in_progress = list(live.order_by("pk"))
    ended_at = max([now, *(assignment.active_at for assignment in in_progress)])
    end(in_progress, "return", State.RETURNED, Actor.PLATFORM, ended_at)
    return in_progress


@transaction.atomic
def confirm_submissions(study: Study, platform: str, active: Mapping[str, str]) -> None:
    """Workers with an active submission are verified, and another browser with it is theirs.

    active: the platform's id of each submission, by its id of the participant.
    """
    parameter = PLATFORMS[platform].submission_parameter
    accounts = list(_accounts(study, platform, active).order_by("pk"))
    for account in accounts:
        submission = active[account.external_id]
        if account.submission_over or _session(account) != submission:
            account.ids = account.ids | {parameter: submission}
            account.submission_over = False
            account.save(update_fields=["ids", "submission_over"])
    workers = [account.worker_id for account in accounts]
    Worker.objects.filter(pk__in=workers, verified=False).update(verified=True)


def _accounts(
    study: Study, platform: str, external_ids: Iterable[str]
) -> QuerySet[PlatformAccount]:
    hashes = [digest for external_id in external_ids for digest in digests(external_id)]
    accounts = PlatformAccount.objects.select_for_update(of=("self",), no_key=True)
    return accounts.filter(study=study, platform=platform, external_id_hash__in=hashes)


def _session(account: PlatformAccount) -> str:
    return str(account.ids.get(PLATFORMS[account.platform].submission_parameter, ""))
