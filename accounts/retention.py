"""How long answers to requests with an Idempotency-Key are stored; without the REST framework."""

from datetime import datetime, timedelta

from accounts.models import StoredResponse

RETENTION = timedelta(days=1)


def purge_answers(now: datetime) -> int:
    return StoredResponse.objects.filter(at__lt=now - RETENTION).delete()[0]
