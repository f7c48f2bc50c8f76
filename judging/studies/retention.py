"""How long personal data are kept."""

from datetime import datetime, timedelta

from django.db.models import DurationField, ExpressionWrapper, F, Value

from judging.models import Participant, PlatformAccount, Study
from judging.models.study import StudyQuerySet


def to_be_forgotten(now: datetime) -> StudyQuerySet:
    """The studies that have been closed for their retention days."""
    kept_for = ExpressionWrapper(
        F("retention_days") * Value(timedelta(days=1)), output_field=DurationField()
    )
    return Study.objects.filter(closed_at__lt=now - kept_for)


def forget_accounts(now: datetime) -> int:
    """Delete the platforms' ids of a study's people once it has been closed for its retention days.

    These are the accounts of workers and the study's list of participants. A study without
    retention days keeps them until somebody deletes them. Returns how many.
    """
    over = to_be_forgotten(now)
    return sum(
        personal.objects.filter(study__in=over).delete()[0]
        for personal in (PlatformAccount, Participant)
    )
