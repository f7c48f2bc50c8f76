from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from judging.models import Participant, PlatformAccount, Study
from web.background.work import for_each


def purge_when_over(now: datetime, purge: Callable[[Study], int]) -> int:
    """Each study in a transaction of its own; returns how many rows.

    The data of a study without retention days stay until somebody deletes them.
    """

    @transaction.atomic
    def purge_one(study: Study) -> int:
        if study.closed_at is None or study.retention_days is None:
            return 0
        is_over = study.closed_at + timedelta(days=study.retention_days) < now
        return purge(study) if is_over else 0

    closed = Study.objects.filter(closed_at__isnull=False, retention_days__isnull=False)
    return for_each(closed, purge_one, "deleting the ids of people")


def purge_accounts(now: datetime) -> int:
    """Delete platforms' ids, in accounts and in lists of participants; returns how many."""
    return purge_when_over(now, _delete_ids)


def _delete_ids(study: Study) -> int:
    return sum(
        personal.objects.filter(study=study).delete()[0]
        for personal in (PlatformAccount, Participant)
    )
