"""The counts of each worker at interim analyses: at 10, 20, 40 and 80 documents.

An analysis is due with the completed unit by which a worker has judged so many documents, and its
counts stay: whoever opens the page more often does not see more alarms.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judging.monitoring.attempts import Numbers

INTERIM = (10, 20, 40, 80)  # documents of a worker


@dataclass(frozen=True)
class InterimCounts:
    """x of n for each worker: at each interim analysis, and of all so far."""

    workers: Numbers  # keys, ascending
    x: Numbers  # workers x INTERIM
    n: Numbers  # the same; 0 where a worker has not judged so many documents
    all_x: Numbers
    all_n: Numbers


@dataclass(frozen=True)
class Interim:
    """Which attempts each interim analysis covers; a value each, in the order in which they began.

    documents: judged, none of an attempt that was not completed.
    """

    keys: Numbers
    workers: Numbers
    documents: Numbers

    @cached_property
    def _everybody(self) -> Numbers:
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

    def counts(self, attempts: Numbers, x: Numbers, n: Numbers) -> InterimCounts:
        """Sum x of n over the attempts that each interim analysis covers, and over all."""
        places = np.searchsorted(self.keys, attempts)
        worker = np.searchsorted(self._everybody, self.workers[places])
        n_workers = len(self._everybody)
        all_places = np.searchsorted(self._everybody, self.workers)
        judged = _sums(all_places, self.documents, n_workers)
        interim_x, interim_n = [], []
        for size in INTERIM:
            counts = (self._judged_before[places] < size) & (judged[worker] >= size)
            interim_x.append(_sums(worker[counts], x[counts], n_workers))
            interim_n.append(_sums(worker[counts], n[counts], n_workers))
        return InterimCounts(
            self._everybody,
            np.column_stack(interim_x),
            np.column_stack(interim_n),
            _sums(worker, x, n_workers),
            _sums(worker, n, n_workers),
        )


def _sums(places: Numbers, values: Numbers, size: int) -> Numbers:
    return np.bincount(places, weights=values, minlength=size).astype(np.int64)
