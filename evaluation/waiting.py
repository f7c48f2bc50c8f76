"""What waits to be computed. `workspace.io_tasks` looks here at each tick: no mathematics."""

from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet
from django.db.models.expressions import Combinable

from evaluation import VERSION
from evaluation.models import CachedAnalysis, WrittenReport
from judging.models import Study

REPORT_RETENTION = timedelta(days=7)


def stale_studies() -> QuerySet[Study]:
    """Those whose data or runs have changed since their last evaluation."""
    is_new = Q(evaluation=None) & Q(topics__revision__gt=0)
    is_behind = (
        Q(topics__topicevaluation=None, topics__revision__gt=0, evaluation__isnull=False)
        | Q(topics__revision__gt=F("topics__topicevaluation__revision"))
        | Q(evaluation__collection_revision__lt=F("collection__revision"))
        | (Q(evaluation__isnull=False) & ~Q(evaluation__code_version=VERSION))
    )
    return Study.objects.filter(is_new | is_behind)  # some of them twice


def wanted_analyses() -> QuerySet[CachedAnalysis]:
    return CachedAnalysis.objects.filter(wanted_at__isnull=False)


def expired_reports(now: datetime | Combinable) -> QuerySet[WrittenReport]:
    old = WrittenReport.objects.filter(made_at__lt=now - REPORT_RETENTION, size__gt=0)
    return old.exclude(state__in=WrittenReport.UNFINISHED)
