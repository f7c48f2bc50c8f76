"""What may be careless or machine work from a worker's first unit on, without any statistics.

Three things are flagged in completed units: all reasons alike but one, both anchors' among them;
a long reason in the words of another worker; and every document left at the least time that passes.
A flag is evidence for a person, never a verdict, and changes nothing by itself.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

from django.db.models import F

from judging.models import Assignment, Judgment, PooledDocument, Study, Visit
from judging.models.assignment import AssignmentQuerySet
from trec.words import count

MIN_WORDS = 8  # of a reason that several workers give: shorter ones are alike by chance
MARGIN = timedelta(seconds=2)  # above the study's minimum: a first visit that ends within it
_WORD = re.compile(r"\w+")


class GivenReason(NamedTuple):
    """A reason as it was given, in a unit of a worker."""

    worker: int
    unit: int
    is_anchor: bool
    reason: str


def plain_flags(study: Study) -> dict[int, dict[str, str]]:
    """A sentence for each flag of a worker, by rule; of no excluded worker."""
    reasons, seconds = _given_reasons(study), study.minimum_seconds + MARGIN.total_seconds()
    counted = {
        "one reason": (one_reason(reasons), "gave one reason for all documents, or all but one"),
        "shared reason": (
            shared_reasons(reasons),
            "gave a long reason in another worker’s words",
        ),
        "least time": (_minimum_time(study), f"left each document within {seconds:g} s at first"),
    }
    flags: dict[int, dict[str, str]] = defaultdict(dict)
    for rule, (by_worker, text) in counted.items():
        for worker, times in by_worker.items():
            things = "reason" if rule == "shared reason" else "unit"
            flags[worker][rule] = f"{text}: {count(times, things)}"
    return dict(flags)


def _completed(study: Study) -> AssignmentQuerySet:
    return Assignment.objects.completed().not_excluded().filter(study=study)


def _given_reasons(study: Study) -> list[GivenReason]:
    rows = Judgment.objects.filter(assignment__in=_completed(study)).values_list(
        "assignment__worker_id", "assignment_id", "document__role", "justification"
    )
    return [
        GivenReason(worker, unit, role != PooledDocument.Role.OTHER, reason)
        for worker, unit, role, reason in rows
    ]


def _minimum_time(study: Study) -> Counter[int]:
    """By worker the units that passed at the first Finish, each page left when it just might be."""
    first = (
        Visit.objects.filter(assignment__in=_completed(study).filter(failed_finishes=0))
        .order_by("assignment_id", "position", "opened_at")
        .distinct("assignment_id", "position")
        .values_list("assignment_id", "assignment__worker_id", F("closed_at") - F("opened_at"))
    )
    limit = timedelta(seconds=study.minimum_seconds) + MARGIN
    longest: dict[tuple[int, int], timedelta] = {}
    for unit, worker, spent in first:
        key = (unit, worker)
        longest[key] = max(longest.get(key, spent), spent)
    return Counter(worker for (_, worker), spent in longest.items() if spent < limit)


def normalised(reason: str) -> tuple[str, ...]:
    """The words of a reason without capitals, punctuation and blanks.

    >>> normalised("  It names the LAW; that's all. ")
    ('it', 'names', 'the', 'law', 'that', 's', 'all')
    """
    return tuple(_WORD.findall(reason.casefold()))


def one_reason(reasons: Iterable[GivenReason]) -> Counter[int]:
    """By worker the units in which all reasons but one at most are the same, both anchors' too."""
    by_unit: dict[tuple[int, int], list[GivenReason]] = defaultdict(list)
    for each in reasons:
        by_unit[each.worker, each.unit].append(each)
    return Counter(worker for (worker, _), unit in by_unit.items() if _is_one_reason(unit))


def _is_one_reason(unit: list[GivenReason]) -> bool:
    words, times = Counter(normalised(each.reason) for each in unit).most_common(1)[0]
    anchors = [normalised(each.reason) for each in unit if each.is_anchor]
    return times >= len(unit) - 1 and all(anchor == words for anchor in anchors)


def shared_reasons(reasons: Iterable[GivenReason]) -> Counter[int]:
    """By worker the reasons of `MIN_WORDS` words or more that another worker gave as well."""
    workers: dict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
    for each in reasons:
        if len(words := normalised(each.reason)) >= MIN_WORDS:
            workers[words][each.worker] += 1
    shared: Counter[int] = Counter()
    for by_worker in workers.values():
        if len(by_worker) > 1:
            shared.update(by_worker)
    return shared
