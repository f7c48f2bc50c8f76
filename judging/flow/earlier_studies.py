from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from judging.models import PlatformAccount, Study
from judging.platforms import PLATFORMS
from web.encryption import digests

# On other platforms the same id in another study may be somebody else.
LASTING_ID_PLATFORMS = [platform.name for platform in PLATFORMS.values() if platform.lasting_ids]


class EarlierStudy(NamedTuple):
    """ids: how many it stores that name the same people in other studies, until retention ends."""

    study: Study
    ids: int
    retention_ends_at: datetime | None


def took_part_earlier(study: Study, platform: str, external_id: str) -> bool:
    if not external_id or platform not in LASTING_ID_PLATFORMS:
        return False
    accounts = PlatformAccount.objects.filter(
        platform=platform, external_id_hash__in=digests(external_id), study__excluded_by=study
    )
    return accounts.exists()


def with_id_counts(studies: QuerySet[Study]) -> list[EarlierStudy]:
    lasting = Count("platformaccount", filter=Q(platformaccount__platform__in=LASTING_ID_PLATFORMS))
    rows = studies.annotate(ids=lasting).order_by("slug")
    return [EarlierStudy(row, row.ids, retention_ends_at(row)) for row in rows]


def retention_ends_at(study: Study) -> datetime | None:
    if study.closed_at is None or study.retention_days is None:
        return None
    return study.closed_at + timedelta(days=study.retention_days)
