"""Analyses are computed in the background when somebody looks, and kept until the data change.

Whoever looks asks for what is missing or old; a task finds what was asked for and computes it. One
such task is at work at a time on the whole site, so that analyses never hold up the evaluation of
new judgments.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from types import MappingProxyType
from typing import Any, TypeVar

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from evaluation import results
from evaluation.analyses import ANALYSES
from evaluation.analyses.question import USUAL, Question, question
from evaluation.models import CachedAnalysis
from evaluation.study import other_studies
from evaluation.study.data import StudyData, load
from evaluation.waiting import wanted_analyses
from judging.models import LabelSet, Study
from magnitudes.comparison import ComparisonError
from magnitudes.gains import GainError
from magnitudes.measures.names import MeasureNameError
from magnitudes.scaling import ScalingError
from web.background.work import COMPUTING, attempt, one_by_one, throttled_progress

T = TypeVar("T")
Rows = QuerySet[CachedAnalysis]
REFUSALS = GainError, ScalingError, ComparisonError, MeasureNameError  # their messages say why
# While a crowd is at work data change all the time: what is kept may be this old.
FRESH = timedelta(minutes=1)
TIMES_ITS_COST = 20
MOST_ASKED = 50  # other questions than the usual ones whose answers a study keeps
MOST_ROWS = 200  # of a table on a page, or in LaTeX; its CSV has all


@dataclass(frozen=True)
class CachedResult:
    """An analysis as whoever looks finds it: what is kept, and whether it is of today's data."""

    row: CachedAnalysis
    current: bool

    @property
    def waits(self) -> bool:
        return self.row.wanted_at is not None


class NotThere(LookupError):
    """What is asked for is not there; the message says what is."""


def label_set_of(study: Study, name: str = "") -> str:
    """The name of the labels that are asked for, or of those that the anchors come from.

    Raises:
        NotThere: the collection has no such labels.
    """
    names = list(study.collection.label_sets.order_by("name").values_list("name", flat=True))
    if name and name not in names:
        expected = f"expected one of {', '.join(names)}" if names else "the collection has none"
        raise NotThere(f"“{name}”: {expected}")
    return name or study.labels


def answers(study: Study, name: str, label_set: str, query: Mapping[str, str]) -> Rows:
    """What is kept of an analysis that is asked for so, if it may be shown.

    Raises:
        BadQuestion: the analysis cannot be asked so.
    """
    asked = str(question(study, ANALYSES[name].takes, query))
    rows = CachedAnalysis.objects.filter(may_be_shown(study), study=study, name=name)
    rows = rows.defer("thumbnails")
    return rows.filter(label_set=label_set, asked=asked)


def versions(study: Study) -> dict[str, str]:
    """By the name of each analysis, a text that changes whenever it may come out differently.

    Any label set may matter: they are compared with each other. So may other studies, to those
    analyses that read them.
    """
    sets = LabelSet.objects.filter(collection=study.collection_id).order_by("name")
    labels = [*sets.values_list("name", "digest")]
    beside = [labels, other_studies.versions(study)]
    own = results.version(study)

    def version(sources: list[Any]) -> str:
        return f"{own}.{sha256(repr(sources).encode()).hexdigest()[:16]}"

    about = other_studies.about(study)
    with_others = version(beside)
    with_people = version([labels, results.version(about) if about else ""])
    alone = version(labels)
    return {
        name: with_others if each.of_others else with_people if each.of_about else alone
        for name, each in ANALYSES.items()
    }


def get_or_request(
    study: Study,
    names: Iterable[str],
    label_set: str,
    now: datetime,
    questions: Mapping[str, Question] = MappingProxyType({}),
    *,
    findings_alone: bool = False,
    thumbnails: bool = False,
    current: Mapping[str, str] | None = None,
) -> list[CachedResult]:
    """Some analyses of a study, after asking for those that are missing or too old.

    questions: what some of them are asked, by name; the others are asked the usual.
    findings_alone: their results, which are large, are only read when somebody asks for one;
    `finding`, `titles` and `numbers` stand beside them. thumbnails: the small pictures are read.
    current: the `versions` of the study, where they are known already.
    """
    asked = {name: str(questions.get(name, USUAL)) for name in names}
    may_be_left = {"result": findings_alone, "whole": True, "thumbnails": not thumbnails}
    unread = [field for field, is_left in may_be_left.items() if is_left]
    rows = _rows(study, label_set, asked, unread)
    if len(rows) < len(asked):
        _forget_oldest(study)  # first, as what it deletes may be among what is asked for
        CachedAnalysis.objects.bulk_create(
            (
                CachedAnalysis(study=study, name=name, label_set=label_set, asked=of)
                for name, of in asked.items()
            ),
            ignore_conflicts=True,
        )
        rows = _rows(study, label_set, asked, unread)
    current = current or versions(study)
    _ask_for([row for row in rows.values() if _is_due(row, current[row.name], now)], now)
    return [CachedResult(rows[name], rows[name].version == current[name]) for name in asked]


def _rows(
    study: Study, label_set: str, asked: Mapping[str, str], unread: Sequence[str]
) -> dict[str, CachedAnalysis]:
    """What is kept of some analyses, by name.

    asked: the question to each, by name. unread: the fields that are left in the database.
    """
    rows = (
        CachedAnalysis.objects.filter(
            study=study, label_set=label_set, name__in=asked, asked__in=set(asked.values())
        )
        .annotate(may_be_shown=may_be_shown(study))
        .defer(*unread)
    )
    for row in rows:
        if not row.may_be_shown:
            _empty(row)
    return {row.name: row for row in rows if row.asked == asked[row.name]}


def may_be_shown(study: Study) -> Q:
    """Of kept analyses: everybody in the team may see, as of now, all studies that they read."""
    return Q(others__contained_by=ArraySubquery(other_studies.seen(study).values("pk")))


def _empty(row: CachedAnalysis) -> None:
    """Let a row, as it was read, be that of an analysis which was never computed."""
    row.result = row.whole = row.computed_at = row.seconds = row.tried_at = None
    row.version = row.fault = row.finding = ""
    row.titles, row.numbers, row.thumbnails = {}, {}, {}


def _forget_oldest(study: Study) -> None:
    """Delete the answers that were asked for first, where one more would be too many."""
    answers = CachedAnalysis.objects.filter(study=study).exclude(asked="").order_by("-pk")
    last = answers.values_list("pk", flat=True)[MOST_ASKED - 1 : MOST_ASKED]
    if last:
        answers.filter(pk__lte=last[0]).delete()


def _is_due(row: CachedAnalysis, version: str, now: datetime) -> bool:
    """Whether it is time to ask for an analysis, whose data have a version now."""
    if row.wanted_at is not None or row.version == version:
        return False
    if row.tried_at is None:
        return True
    cost = timedelta(seconds=row.seconds or 0)
    return now - row.tried_at > max(FRESH, TIMES_ITS_COST * cost)


def _ask_for(rows: list[CachedAnalysis], now: datetime) -> None:
    """Have some analyses computed, those that nobody else asked for meanwhile."""
    CachedAnalysis.objects.filter(pk__in=[row.pk for row in rows], wanted_at=None).update(
        wanted_at=now, tries=0, reads=0, progress=0
    )
    for row in rows:
        row.wanted_at, row.tries, row.progress = now, 0, 0.0


def compute_again(row: CachedAnalysis, now: datetime) -> bool:
    """Have an analysis computed again whose result lacks what this code keeps; whether it waits.

    As any other that is too old, it is not tried all the time.
    """
    if row.version:
        _update(row, version="")
        row.version = ""
    if _is_due(row, "lacking", now):
        _ask_for([row], now)
    return row.wanted_at is not None


def all_rows(row: CachedAnalysis) -> dict[str, Any] | None:
    """What is kept of an analysis, with all rows of its long tables."""
    if row.result is None:
        return None
    of_long = row.whole or {}
    parts = [
        part | {"rows": of_long.get(part["name"], part["rows"])} for part in row.result["parts"]
    ]
    return row.result | {"parts": parts}


def _split(result: dict[str, Any]) -> dict[str, Any]:
    """A result as pages show it; apart from it small pictures, and all rows of long tables."""
    parts = result["parts"]
    thumbnails = {part["name"]: part.pop("thumbnail") for part in parts if "thumbnail" in part}
    short = [part | {"n": len(part["rows"]), "rows": part["rows"][:MOST_ROWS]} for part in parts]
    all_rows = {part["name"]: part["rows"] for part in parts if len(part["rows"]) > MOST_ROWS}
    return {"result": result | {"parts": short}, "whole": all_rows, "thumbnails": thumbnails}


def bring_up_to_date() -> int:
    """Compute what has been asked for, unless somebody is at it; how many analyses there were."""
    return one_by_one(
        COMPUTING,
        lambda: _wanted().order_by("wanted_at").first(),
        lambda row: _compute_of(row.study, row.label_set, row),
    )


def _wanted() -> QuerySet[CachedAnalysis]:
    return wanted_analyses().defer("result", "whole", "thumbnails")


def _compute_of(study: Study, label_set: str, first: CachedAnalysis) -> int:
    """Compute all that is wanted of the same units, in the order of pages; how much there was."""
    current = versions(study)  # before the data are read: what comes between makes results old
    tries = _tries_of(first)
    wanted = _wanted().filter(study=study, label_set=label_set)
    together = [row for row in wanted if _tries_of(row) == tries]
    data, fault = _try(first, "reads", lambda: load(study, label_set, tries=tries))
    if data is None:
        for row in together:
            _end(row, current, fault)
        return 0
    _update(first, reads=0)
    places = {name: place for place, name in enumerate(ANALYSES)}
    done = 0
    for row in sorted(together, key=lambda row: places.get(row.name, len(places))):
        if still_wanted := wanted.filter(pk=row.pk).first():
            _compute(still_wanted, data, current)
            done += 1
    return done


def _tries_of(row: CachedAnalysis) -> int | None:
    """Within how many presses of Finish the units were completed that a row is of; None: all."""
    tries = Question.read(row.asked).tries
    return int(tries) if tries else None


def _compute(row: CachedAnalysis, data: StudyData, current: Mapping[str, str]) -> None:
    """Compute one analysis and keep it, or say why it could not be: then an older one stays."""
    began, on_progress = (
        time.monotonic(),
        throttled_progress(lambda share: _update(row, progress=share)),
    )
    result, fault = _try(
        row, "tries", lambda: ANALYSES[row.name].of(data, on_progress, Question.read(row.asked))
    )
    if result is None:
        _end(row, current, fault)
    else:
        seconds = time.monotonic() - began
        others = [other.key for other in data.others] if ANALYSES[row.name].of_others else []
        if ANALYSES[row.name].of_about and data.about:
            others.append(data.about.study.pk)
        outcome = {"computed_at": timezone.now(), "seconds": seconds, "others": others}
        told = {
            "finding": ANALYSES[row.name].finding(result),
            "titles": {part["name"]: part["says"] for part in result["parts"]},
            "numbers": result["numbers"],
        }
        _end(row, current, "", **outcome, **told, **_split(result))


def _try(row: CachedAnalysis, counter: str, compute: Callable[[], T]) -> tuple[T | None, str]:
    """What is computed for a row, or None and why; counted beforehand, as it may end the process.

    counter: the row's field that counts.
    """
    _update(row, **{counter: F(counter) + 1})
    return attempt(getattr(row, counter), compute, REFUSALS, f"analysis {row.name} of {row.study}")


def _end(row: CachedAnalysis, current: Mapping[str, str], fault: str, **outcome: Any) -> None:
    """Note that what was asked for has been tried, and what came of it."""
    version = current.get(row.name, "")
    tried = {"wanted_at": None, "progress": 0, "version": version, "tried_at": timezone.now()}
    _update(row, fault=fault, **tried, **outcome)


def _update(row: CachedAnalysis, **values: Any) -> None:
    """Write on a row, unless it has been deleted meanwhile."""
    CachedAnalysis.objects.filter(pk=row.pk).update(**values)
