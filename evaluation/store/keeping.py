"""Analyses are computed in the background when somebody looks, and kept until the data change.

Whoever looks asks for what is missing or old; a task finds what was asked for. One is at work at a
time on the whole site, so that analyses never hold up the evaluation of new judgments.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from django.db import connection
from django.db.models import F, QuerySet
from django.utils import timezone

from evaluation import results
from evaluation.analyses import ANALYSES
from evaluation.analyses.question import USUAL, Question, question
from evaluation.analyses.study import other_studies
from evaluation.analyses.study.data import StudyData, load
from evaluation.comparison import ComparisonError
from evaluation.gains import GainError
from evaluation.measures.names import MeasureNameError
from evaluation.models import KeptAnalysis
from evaluation.scaling import ScalingError
from evaluation.store import files
from evaluation.store.files import MOST
from judging.models import LabelSet, Study

log = logging.getLogger(__name__)
_LOCK = 0x616E616C  # the key of the advisory lock: one at a time
TRIES = 3
INTERRUPTED = f"It was begun {TRIES} times and interrupted each time."
FAILED = "It ended with an error, which the worker's log has: {}."
# While a crowd is at work data change all the time: what is kept may be this old.
FRESH = timedelta(minutes=1)
TIMES_ITS_COST = 20
MOST_ASKED = 50  # other questions than the usual ones whose answers a study keeps
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


class NotThere(LookupError):
    """What is asked for is not there; the message says what is."""


def label_set_of(study: Study, asked: str = "") -> str:
    """The name of the labels that are asked for, or of those that the anchors come from.

    Raises:
        NotThere: the collection has no such labels.
    """
    names = list(study.collection.label_sets.order_by("name").values_list("name", flat=True))
    if asked and asked not in names:
        expected = f"expected one of {', '.join(names)}" if names else "the collection has none"
        raise NotThere(f"“{asked}”: {expected}")
    return asked or study.labels


def version(study: Study) -> Callable[[str], str]:
    """Changes whenever an analysis, by its name, may come out differently.

    Any label set may matter: they are compared with each other. So may other studies, to those
    analyses that read them.
    """
    sets = LabelSet.objects.filter(collection=study.collection_id).order_by("name")
    labels = [*sets.values_list("name", "digest")]
    others = other_studies.versions(study)
    alone, beside = (
        f"{results.version(study)}.{sha256(repr(of).encode()).hexdigest()[:16]}"
        for of in (labels, [labels, others])
    )
    return lambda name: beside if name in ANALYSES and ANALYSES[name].of_others else alone


def look(
    study: Study,
    names: Iterable[str],
    label_set: str,
    now: datetime,
    asked: Mapping[str, Question] = MappingProxyType({}),
) -> list[Looked]:
    """Some analyses of a study, after asking for those that are missing or too old.

    `asked`: what some of them are asked, by name.
    """
    wanted = {name: str(asked.get(name, USUAL)) for name in names}
    found = _rows(study, wanted, label_set)
    if len(found) < len(wanted):
        _forget(study)  # first: what is let go of here may be wanted
        KeptAnalysis.objects.bulk_create(
            (
                KeptAnalysis(study=study, name=name, label_set=label_set, asked=question)
                for name, question in wanted.items()
            ),
            ignore_conflicts=True,
        )
        found = _rows(study, wanted, label_set)
    current = version(study)
    ask = [row for row in found.values() if _is_old(row, current(row.name), now)]
    if ask:
        KeptAnalysis.objects.filter(pk__in=[row.pk for row in ask], wanted_at=None).update(
            wanted_at=now, tries=0, reads=0, progress=0
        )
        for row in ask:
            row.wanted_at, row.tries, row.progress = now, 0, 0.0
    return [Looked(name, found[name], found[name].version == current(name)) for name in wanted]


def _forget(study: Study) -> None:
    """Let go of the answers that were asked for first, where one more would be too many."""
    others = KeptAnalysis.objects.filter(study=study).exclude(asked="").order_by("-pk")
    last = others.values_list("pk", flat=True)[MOST_ASKED - 1 : MOST_ASKED]
    if last:
        others.filter(pk__lte=last[0]).delete()


def _rows(study: Study, wanted: Mapping[str, str], label_set: str) -> dict[str, KeptAnalysis]:
    rows = KeptAnalysis.objects.filter(
        study=study, name__in=wanted, label_set=label_set, asked__in=set(wanted.values())
    )
    return {row.name: row for row in rows.defer("whole") if row.asked == wanted[row.name]}


def entire(row: KeptAnalysis | None) -> dict[str, Any] | None:
    """What is kept of an analysis, with all rows of its long tables."""
    if row is None or row.result is None:
        return None
    whole = row.whole or {}
    parts = row.result["parts"]
    return row.result | {"parts": [p | {"rows": whole.get(p["name"], p["rows"])} for p in parts]}


def part_of(
    study: Study, name: str, label_set: str, part: str, given: Mapping[str, str]
) -> tuple[dict[str, Any], str]:
    """One figure or table of a kept analysis, with all its rows, and who judged.

    `given`: an address, with what the analysis is asked.

    Raises:
        NotThere: there is no such analysis or part, or it is not computed yet.
        BadQuestion: the analysis cannot be asked so.
    """
    if name not in ANALYSES or not ANALYSES[name].fits(study):
        fitting = [one for one, analysis in ANALYSES.items() if analysis.fits(study)]
        raise NotThere(f"There is no analysis {name}; there are {', '.join(fitting) or 'none'}.")
    asked = str(question(study, ANALYSES[name].takes, given))
    row = KeptAnalysis.objects.filter(
        study=study, name=name, label_set=label_set, asked=asked
    ).first()
    result = ANALYSES[name].with_live(study, label_set, entire(row))
    if result is None:
        raise NotThere(f"{name} is not computed yet: get it first.")
    found = files.part(result, part)
    if found is None:
        names = ", ".join(one["name"] for one in result["parts"])
        raise NotThere(f"{name} has no part {part}; it has {names or 'none'}.")
    return found, result["crowd"]


def _is_old(row: KeptAnalysis, current: str, now: datetime) -> bool:
    if row.wanted_at is not None or row.version == current:
        return False
    if row.tried_at is None:
        return True
    cost = timedelta(seconds=row.seconds or 0)
    return now - row.tried_at > max(FRESH, TIMES_ITS_COST * cost)


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
        of_study = KeptAnalysis.objects.filter(
            study=study, label_set=label_set, wanted_at__isnull=False
        ).defer("result", "whole")
        data = _loaded(row, of_study, named)
        keys = dict(of_study.values_list("pk", "name")) if data else {}
        for key in sorted(keys, key=lambda key: _place(keys[key])):
            this = of_study.filter(pk=key).first()
            if data and this:
                _compute(this, data, named)
                done += 1
    return done


def _place(name: str) -> int:
    """Where an analysis is shown; those that there are no more come last."""
    return [*ANALYSES].index(name) if name in ANALYSES else len(ANALYSES)


def _loaded(
    row: KeptAnalysis, of_study: QuerySet[KeptAnalysis], named: Callable[[str], str]
) -> StudyData | None:
    """The data of a study. If they cannot be read, all that was asked of it says so."""
    this = KeptAnalysis.objects.filter(pk=row.pk)
    this.update(reads=F("reads") + 1)  # as this may end the process
    fault = INTERRUPTED
    if row.reads < TRIES:
        try:
            data = load(row.study, row.label_set)
        except Exception as failed:
            log.exception("reading study %s", row.study)
            fault = FAILED.format(type(failed).__name__)
        else:
            this.update(reads=0)
            return data
    _end(of_study, named, fault=fault)
    return None


def _compute(row: KeptAnalysis, data: StudyData, named: Callable[[str], str]) -> None:
    """Compute one analysis and keep it, or say why it could not be: then an older one stays."""
    this = KeptAnalysis.objects.filter(pk=row.pk)
    this.update(tries=F("tries") + 1)
    began = time.monotonic()
    fault = INTERRUPTED
    if row.tries < TRIES:
        try:
            asked = Question.read(row.asked)
            result, whole = _cut(ANALYSES[row.name].of(data, _teller(row.pk), asked))
        except (GainError, ScalingError, ComparisonError, MeasureNameError) as refused:
            fault = str(refused)
        except Exception as failed:
            log.exception("analysis %s of %s", row.name, data.study)
            fault = FAILED.format(type(failed).__name__)
        else:
            seconds = time.monotonic() - began
            kept = {"result": result, "whole": whole, "seconds": seconds}
            _end(this, named, fault="", computed_at=timezone.now(), **kept)
            return
    _end(this, named, fault=fault)


def _end(rows: QuerySet[KeptAnalysis], named: Callable[[str], str], **kept: Any) -> None:
    """What was asked for has been tried."""
    for name in list(rows.values_list("name", flat=True)):
        rows.filter(name=name).update(
            wanted_at=None, progress=0, version=named(name), tried_at=timezone.now(), **kept
        )


def _cut(result: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A result as pages show it, and all rows of the tables that are too long for one."""
    parts = [
        part | {"n": len(part["rows"]), "rows": part["rows"][:MOST]} for part in result["parts"]
    ]
    whole = {part["name"]: part["rows"] for part in result["parts"] if len(part["rows"]) > MOST}
    return result | {"parts": parts}, whole


def _teller(key: int) -> Callable[[float], None]:
    """Notes progress, now and then."""
    last = 0.0

    def tell(share: float) -> None:
        nonlocal last
        if time.monotonic() - last > TOLD:
            last = time.monotonic()
            KeptAnalysis.objects.filter(pk=key).update(progress=share)

    return tell
