"""Analyses are computed in the background when somebody looks, and kept until the data change.

Whoever looks asks for what is missing or old; a task finds what was asked for. One is at work at a
time on the whole site, so that analyses never hold up the evaluation of new judgments.
"""

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.db import connection
from django.db.models import F
from django.utils import timezone

from evaluation import results
from evaluation.analyses import ANALYSES
from evaluation.analyses.data import StudyData, load
from evaluation.gains import GainError
from evaluation.models import KeptAnalysis
from evaluation.scaling import ScalingError
from judging.models import LabelSet, Study

log = logging.getLogger(__name__)
_LOCK = 0x616E616C  # the key of the advisory lock: one at a time
TRIES = 3
# While a crowd is at work data change all the time: what is kept may be this old.
FRESH = timedelta(minutes=1)
TIMES_ITS_COST = 20
TOLD = 0.5  # seconds between two notes of progress


@dataclass(frozen=True)
class Looked:
    """An analysis as whoever looks finds it."""

    name: str
    kept: KeptAnalysis
    current: bool  # of the data as they are now

    @property
    def waits(self) -> bool:
        return self.kept.wanted_at is not None


def label_set_of(study: Study, asked: str = "") -> str:
    """The name of the labels that are asked for, or of those that the anchors come from."""
    return asked or study.labels


def version(study: Study) -> str:
    """Changes whenever an analysis may come out differently.

    Any label set may matter: they are compared with each other.
    """
    sets = LabelSet.objects.filter(collection=study.collection_id).order_by("name")
    labels = repr(list(sets.values_list("name", "digest"))).encode()
    return f"{results.version(study)}.{sha256(labels).hexdigest()[:16]}"


def look(study: Study, names: Iterable[str], label_set: str, now: datetime) -> list[Looked]:
    """Some analyses of a study, after asking for those that are missing or too old."""
    wanted = list(names)
    found = _rows(study, wanted, label_set)
    if len(found) < len(wanted):
        KeptAnalysis.objects.bulk_create(
            (KeptAnalysis(study=study, name=name, label_set=label_set) for name in wanted),
            ignore_conflicts=True,
        )
        found = _rows(study, wanted, label_set)
    current = version(study)
    ask = [row.pk for row in found.values() if _is_old(row, current, now)]
    if ask:
        KeptAnalysis.objects.filter(pk__in=ask, wanted_at=None).update(
            wanted_at=now, tries=0, progress=0
        )
        found = _rows(study, wanted, label_set)
    return [Looked(name, found[name], found[name].version == current) for name in wanted]


def _rows(study: Study, names: list[str], label_set: str) -> dict[str, KeptAnalysis]:
    rows = KeptAnalysis.objects.filter(study=study, name__in=names, label_set=label_set)
    return {row.name: row for row in rows}


def _is_old(row: KeptAnalysis, current: str, now: datetime) -> bool:
    if row.wanted_at is not None or row.version == current:
        return False
    if row.computed_at is None or row.seconds is None:
        return True
    return now - row.computed_at > max(FRESH, TIMES_ITS_COST * timedelta(seconds=row.seconds))


def bring_up_to_date() -> int:
    """Compute what has been asked for, unless somebody is at it; how many there were."""
    if not KeptAnalysis.objects.filter(wanted_at__isnull=False).exists() or not _alone():
        return 0
    try:
        return _all_wanted()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _alone() -> bool:
    """Whether nobody else is at work. The lock goes with the connection, if that is lost."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])


def _all_wanted() -> int:
    done = 0
    while row := KeptAnalysis.objects.filter(wanted_at__isnull=False).order_by("wanted_at").first():
        study, label_set = row.study, row.label_set
        named = version(study)  # data may be newer than it: then they are read again
        data = load(study, label_set)
        of_study = KeptAnalysis.objects.filter(
            study=study, label_set=label_set, wanted_at__isnull=False
        )
        asked = set(of_study.values_list("name", flat=True))
        for name in [*(name for name in ANALYSES if name in asked), *(asked - ANALYSES.keys())]:
            _compute(of_study.get(name=name), data, named)
            done += 1
    return done


def _compute(row: KeptAnalysis, data: StudyData, named: str) -> None:
    """Compute one analysis and keep it, or why it could not be."""
    this = KeptAnalysis.objects.filter(pk=row.pk)
    this.update(tries=F("tries") + 1)
    began = time.monotonic()
    result, fault = None, f"It was begun {TRIES} times and interrupted each time."
    if row.tries < TRIES:
        try:
            result, fault = ANALYSES[row.name].of(data, _teller(row.pk)), ""
        except (GainError, ScalingError) as refused:
            fault = str(refused)
        except Exception as failed:
            log.exception("analysis %s of %s", row.name, data.study)
            fault = f"It ended with an error, which the worker's log has: {type(failed).__name__}."
    this.update(
        wanted_at=None,
        progress=0,
        version=named,
        result=result,
        fault=fault,
        computed_at=timezone.now(),
        seconds=time.monotonic() - began,
    )


def _teller(key: int) -> Callable[[float], None]:
    """Notes progress, now and then."""
    last = 0.0

    def tell(share: float) -> None:
        nonlocal last
        if time.monotonic() - last > TOLD:
            last = time.monotonic()
            KeptAnalysis.objects.filter(pk=key).update(progress=share)

    return tell
