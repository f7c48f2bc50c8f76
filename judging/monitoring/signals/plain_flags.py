"""What may be careless or machine work from a worker's first unit on, without any statistics.

Three things are flagged in completed units: all reasons alike but one, both anchors' among them;
a long reason in the words of another worker; and every document left at the least time that passes.
A flag is evidence for a person, never a verdict, and changes nothing by itself.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import timedelta
from itertools import groupby
from operator import itemgetter

from django.db.models import F

from judging.models import Assignment, Study, Visit
from judging.monitoring.signals.repeated_judgments import Judgments
from magnitudes.files.words import count

MIN_WORDS = 8  # of a reason that several workers give: shorter ones are alike by chance
MARGIN = timedelta(seconds=2)  # above the study's minimum: a first visit that ends within it
Words = tuple[str, ...]
_WORD = re.compile(r"\w+")


def plain_flags(study: Study, judged: Judgments) -> dict[int, dict[str, str]]:
    """A sentence for each flag, by worker and rule."""
    seconds = study.minimum_seconds + MARGIN.total_seconds()
    words = [normalised(reason) for reason in judged.reasons]
    workers, units = judged.workers.tolist(), judged.units.tolist()
    counted = (
        (
            *("one reason", "gave one reason for all documents, or all but one", "unit"),
            one_reason(workers, units, words),
        ),
        (
            *("shared reason", "gave a long reason in another worker’s words", "reason"),
            shared_reasons(workers, words),
        ),
        ("least time", f"left each document within {seconds:g} s at first", "unit", _quick(study)),
    )
    flags: dict[int, dict[str, str]] = defaultdict(dict)
    for rule, text, things, by_worker in counted:
        for worker, times in by_worker.items():
            flags[worker][rule] = f"{text}: {count(times, things)}"
    return dict(flags)


def _quick(study: Study) -> Counter[int]:
    """By worker the units that passed at the first Finish, each page left when it just might be."""
    completed = Assignment.objects.completed().not_excluded().filter(study=study)
    passed_at_first = completed.filter(failed_finishes=0)
    first = (
        Visit.objects.filter(assignment__in=passed_at_first)
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


def normalised(reason: str) -> Words:
    """The words of a reason without capitals, punctuation and blanks.

    >>> normalised("  It names the LAW; that's all. ")
    ('it', 'names', 'the', 'law', 'that', 's', 'all')
    """
    return tuple(_WORD.findall(reason.casefold()))


def one_reason(
    workers: Iterable[int], units: Iterable[int], words: Iterable[Words]
) -> Counter[int]:
    """By worker the units in which all reasons but one at most are the same, both anchors' too.

    A value a judgment, unit after unit, both anchors first in each.
    """
    flagged: Counter[int] = Counter()
    for (worker, _), rows in groupby(zip(workers, units, words, strict=True), itemgetter(0, 1)):
        given = [words for *_, words in rows]
        common, times = Counter(given).most_common(1)[0]
        if times >= len(given) - 1 and given[0] == given[1] == common:
            flagged[worker] += 1
    return flagged


def shared_reasons(workers: Iterable[int], words: Iterable[Words]) -> Counter[int]:
    """By worker the reasons of `MIN_WORDS` words or more that another worker gave as well."""
    givers: dict[Words, Counter[int]] = defaultdict(Counter)
    for worker, own in zip(workers, words, strict=True):
        if len(own) >= MIN_WORDS:
            givers[own][worker] += 1
    shared: Counter[int] = Counter()
    for by_worker in givers.values():
        if len(by_worker) > 1:
            shared.update(by_worker)
    return shared
