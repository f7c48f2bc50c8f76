"""Who took part in an earlier study, known by the platforms' ids that it still holds."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from judging.models import PlatformAccount, Study
from judging.platforms import PLATFORMS

# By other platforms' ids, the same id in another study is somebody else.
LASTING_ID_PLATFORMS = [platform.name for platform in PLATFORMS.values() if platform.lasting_ids]


class EarlierStudy(NamedTuple):
    """A study whose participants may be kept out of another.

    ids: how many it holds that name somebody in other studies too; held_until: when they are
    deleted, if that is settled yet.
    """

    study: Study
    ids: int
    held_until: datetime | None


def took_part_earlier(study: Study, platform: str, external_id: str) -> bool:
    """Whether somebody has begun a unit in a study that this one excludes."""
    if not external_id or platform not in LASTING_ID_PLATFORMS:
        return False
    accounts = PlatformAccount.objects.known_as(external_id).filter(platform=platform)
    return bool(accounts.filter(study__excluded_by=study).exists())


def with_ids(studies: QuerySet[Study]) -> list[EarlierStudy]:
    """Studies with how many ids they hold, and until when."""
    lasting = Count("platformaccount", filter=Q(platformaccount__platform__in=LASTING_ID_PLATFORMS))
    rows = studies.annotate(ids=lasting).order_by("slug")
    return [EarlierStudy(row, row.ids, held_until(row)) for row in rows]


def held_until(study: Study) -> datetime | None:
    """Until when a closed study holds platforms' ids; None: it is not closed, or says no days."""
    if study.closed_at is None or study.retention_days is None:
        return None
    return study.closed_at + timedelta(days=study.retention_days)
