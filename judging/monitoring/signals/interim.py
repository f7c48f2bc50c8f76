"""The counts of each worker at interim analyses: at 10, 20, 40 and 80 documents.

An analysis is due with the completed unit by which a worker has judged so many documents, and its
counts stay: whoever opens the page more often does not see more alarms.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import Aggregate, BinaryField, Case, F, Q, QuerySet, When
from django.db.models.expressions import Combinable
from numpy.typing import NDArray

from judging.models import Assignment, CheckFailure, Study
from judging.monitoring.tries import PRACTISED
from judging.states import PAID, State

INTERIM = (10, 20, 40, 80)  # documents of a worker
Check = CheckFailure.Check
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class InterimCounts:
    """x of n for each worker: at each interim analysis, and of all so far."""

    workers: Numbers  # keys, ascending
    x: Numbers  # workers x INTERIM
    n: Numbers  # the same; 0 where a worker has not judged so many documents
    all_x: Numbers
    all_n: Numbers


@dataclass(frozen=True)
class Attempts:
    """The attempts of a study in the order in which they began, a value each; of none excluded."""

    keys: Numbers
    workers: Numbers
    documents: Numbers  # judged: none of an attempt that was not completed
    practised: Numbers  # whether it came to the last line
    answers: Numbers  # to the question
    presses: Numbers  # of Finish

    @cached_property
    def everybody(self) -> Numbers:
        return np.unique(self.workers)

    @cached_property
    def _judged_before(self) -> Numbers:
        order = np.argsort(self.workers, kind="stable")
        documents, worker = self.documents[order], self.workers[order]
        before = documents.cumsum() - documents
        firsts = np.searchsorted(worker, worker)  # where each one's worker begins
        result = np.empty(len(order), dtype=np.int64)
        result[order] = before - before[firsts]
        return result

    def interim_counts(self, attempts: Numbers, x: Numbers, n: Numbers) -> InterimCounts:
        """Sum x of n over the attempts that each interim analysis covers, and over all."""
        places = np.searchsorted(self.keys, attempts)
        worker = np.searchsorted(self.everybody, self.workers[places])
        n_workers = len(self.everybody)
        all_places = np.searchsorted(self.everybody, self.workers)
        judged = _sums(all_places, self.documents, n_workers)
        interim_x, interim_n = [], []
        for size in INTERIM:
            counts = (self._judged_before[places] < size) & (judged[worker] >= size)
            interim_x.append(_sums(worker[counts], x[counts], n_workers))
            interim_n.append(_sums(worker[counts], n[counts], n_workers))
        return InterimCounts(
            self.everybody,
            np.column_stack(interim_x),
            np.column_stack(interim_n),
            _sums(worker, x, n_workers),
            _sums(worker, n, n_workers),
        )


def _sums(places: Numbers, values: Numbers, size: int) -> Numbers:
    return np.bincount(places, weights=values, minlength=size).astype(np.int64)


def attempts(study: Study) -> Attempts:
    def is_true(condition: Q) -> Case:
        return Case(When(condition, then=1), default=0)

    arrays = _columns(
        Assignment.objects.not_excluded().filter(study=study),
        keys="id",
        workers="worker_id",
        documents=Case(When(state=State.COMPLETED, then=F("order__len")), default=0),
        practised=is_true(PRACTISED),
        answers=F("wrong_answers") + is_true(Q(furthest__gt=0)),
        presses=F("failed_finishes") + is_true(Q(state__in=PAID)),
    )
    order = np.argsort(arrays["keys"])
    return Attempts(**{name: values[order] for name, values in arrays.items()})


def failures(study: Study, of: Attempts) -> list[Numbers]:
    """For each check in their order, how often each attempt failed it."""
    check_index = Case(*(When(check_name=check, then=n) for n, check in enumerate(Check)))
    failed = _columns(
        CheckFailure.objects.filter(assignment__study=study),
        attempts="assignment_id",
        check=check_index,
    )
    counts = np.isin(failed["attempts"], of.keys)
    places, check = np.searchsorted(of.keys, failed["attempts"][counts]), failed["check"][counts]
    return [np.bincount(places[check == n], minlength=len(of.keys)) for n in range(len(Check))]


class _Packed(Aggregate):
    template = "string_agg(int8send(%(expressions)s), '')"
    output_field = BinaryField()


def _columns(rows: QuerySet[Any, Any], **values: str | Combinable) -> dict[str, Numbers]:
    """Arrays by name, in one order; values: what to read of a row, whole numbers, never null.

    The monitoring page is renewed every few seconds: there is no time for an object of each row.
    """
    packed = rows.aggregate(**{name: _Packed(value) for name, value in values.items()})
    return {
        name: np.frombuffer(data or b"", ">i8").astype(np.int64) for name, data in packed.items()
    }
