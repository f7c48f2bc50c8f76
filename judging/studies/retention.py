"""How long personal data are kept."""

from datetime import datetime, timedelta

from django.db.models import DurationField, ExpressionWrapper, F, Value

from judging.models import Participant, PlatformAccount


def forget_accounts(now: datetime) -> int:
    """Delete the platforms' ids of a study's people once it has been closed for its retention days.

    These are the accounts of workers and the study's list of participants. A study without
    retention days keeps them until somebody deletes them. Returns how many.
    """
    kept_for = ExpressionWrapper(
        F("study__retention_days") * Value(timedelta(days=1)), output_field=DurationField()
    )
    over = {"study__closed_at__lt": now - kept_for}
    return sum(
        personal.objects.filter(**over).delete()[0] for personal in (PlatformAccount, Participant)
    )
