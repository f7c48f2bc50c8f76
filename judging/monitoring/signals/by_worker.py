"""Signals of careless or machine work: evidence for a person, never a verdict.

Nothing is done by itself. They are computed of completed units, of no excluded worker, once for
each revision of a study.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Max, Sum
from numpy.typing import NDArray

from judging.models import Assignment, Study, Visit
from judging.monitoring.cache import cached_per_revision
from judging.monitoring.signals.agreement import Agreement, Verdict, agreements
from judging.monitoring.signals.alike_reasons import AlikeReasons, alike_reasons
from judging.monitoring.signals.interim import InterimCounts
from judging.monitoring.signals.repeated_judgments import Judgments, judgments
from judging.monitoring.signals.standouts import Counts, reasons
from judging.states import State

QUANTILES = (0.05, 0.5, 0.95)
MIN_COUNT = 3  # reasons: with fewer nobody stands out


class Tries(NamedTuple):
    """How often Finish failed before units were completed; most: of one unit."""

    units: int
    failed: int
    max_failed: int

    @property
    def mean(self) -> float:
        return (self.units + self.failed) / self.units


class Browser(NamedTuple):
    """For each judged document."""

    pasted: float | None
    hidden: float | None


@dataclass(frozen=True)
class Signals:
    tries: Tries
    agreement: Agreement | None
    alike: tuple[int, int]  # reasons that are nearly those of another, of how many
    browser: Browser
    stands_out: frozenset[str]  # by which of SIGNALS


@dataclass(frozen=True)
class StudySignals:
    workers: dict[int, Signals]
    reasons: AlikeReasons
    spread: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def compared(self) -> int:
        agreements = [own.agreement for own in self.workers.values() if own.agreement]
        return sum(agreement.is_enough for agreement in agreements)


SIGNALS: dict[str, Callable[[Signals], float | None]] = {
    "tries": lambda own: own.tries.mean,
    "numbers": lambda own: own.agreement.mean if own.agreement else None,
    "reasons": lambda own: own.alike[0] / own.alike[1] if own.alike[1] else None,
    "pasted": lambda own: own.browser.pasted,
    "hidden": lambda own: own.browser.hidden,
}


def signals(study: Study) -> StudySignals:
    return cached_per_revision(study, "signals", lambda: _signals(study))


def _signals(study: Study) -> StudySignals:
    judged = judgments(study)
    alike = alike_reasons(judged.workers, judged.documents, judged.reasons)
    agreed = _agreements(study, judged)
    tries, browser = _tries(study), _browser(study, judged.workers)
    counts = alike.counts()
    many_tries = _far_more({key: (t.failed, t.units + t.failed) for key, t in tries.items()})
    many_alike = _far_more(counts)
    workers = {}
    for key, own in tries.items():
        agreement = agreed.get(key)
        marks = {
            "tries": key in many_tries,
            "numbers": agreement is not None and agreement.verdict == Verdict.NO_MORE,
            "reasons": key in many_alike,
        }
        workers[key] = Signals(
            own,
            agreement,
            counts.get(key, (0, 0)),
            browser.get(key, Browser(None, None)),
            frozenset(name for name, stands_out in marks.items() if stands_out),
        )
    return StudySignals(workers, alike, _spread(workers))


def _far_more(counts: dict[int, tuple[int, int]]) -> set[int]:
    keys = np.array(list(counts), dtype=np.int64)
    x, n = np.array(list(counts.values()), dtype=np.int64).reshape(-1, 2).T
    seen = InterimCounts(keys, x[:, None], n[:, None], x, n)
    return {*reasons([Counts("", "", seen, MIN_COUNT)])}


def _spread(workers: dict[int, Signals]) -> dict[str, tuple[float, ...]]:
    """Of each signal the 5%, 50% and 95% quantiles over workers; none where nobody has it."""
    spread = {}
    for name, value_of in SIGNALS.items():
        values = [value for own in workers.values() if (value := value_of(own)) is not None]
        if values:
            spread[name] = tuple(np.quantile(values, QUANTILES).tolist())
    return spread


def _agreements(study: Study, judged: Judgments) -> dict[int, Agreement]:
    if not judged.units.size or judged.units.size % study.unit_size:
        return {}
    shape = (-1, study.unit_size)
    return agreements(
        judged.workers.reshape(shape)[:, 0],
        judged.documents.reshape(shape),
        judged.scores.reshape(shape),
        graded=study.is_graded,
    )


def _tries(study: Study) -> dict[int, Tries]:
    completed = Assignment.objects.completed().not_excluded().filter(study=study)
    rows = completed.values_list("worker_id").annotate(
        Count("id"), Sum("failed_finishes"), Max("failed_finishes")
    )
    return {key: Tries(units, failed, max_failed) for key, units, failed, max_failed in rows}


def _browser(study: Study, judges: NDArray[Any]) -> dict[int, Browser]:
    if not study.record_pasting:
        return {}
    documents = dict(zip(*(c.tolist() for c in np.unique(judges, return_counts=True)), strict=True))
    rows = (
        Visit.objects.filter(
            assignment__study=study,
            assignment__state=State.COMPLETED,
            assignment__worker__in=documents,
        )
        .values_list("assignment__worker_id")
        .annotate(Sum("pasted_characters"), Sum("hidden_seconds"))
    )
    return {
        key: Browser(
            *(None if total is None else total / documents[key] for total in (pasted, hidden))
        )
        for key, pasted, hidden in rows
    }
