"""How long personal data are kept."""

from datetime import datetime, timedelta

from django.db.models import DurationField, ExpressionWrapper, F, Value

from judging.models import PlatformAccount


def forget_accounts(now: datetime) -> int:
    """Delete the platforms' ids of workers once a study has been closed for its retention days.

    A study without retention days keeps them until somebody deletes them. Returns how many.
    """
    kept_for = ExpressionWrapper(
        F("study__retention_days") * Value(timedelta(days=1)), output_field=DurationField()
    )
    over = PlatformAccount.objects.filter(study__closed_at__lt=now - kept_for)
    return over.delete()[0]
