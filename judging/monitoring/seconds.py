from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

import numpy as np
from django.db.models import Count, F
from numpy.typing import NDArray

from judging.models import Assignment, Study, Visit
from judging.states import State

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Summary:
    """Seconds on n documents: mean, n-1 sd (NaN of one document), and quantiles."""

    n: int
    mean: float
    sd: float
    quantiles: tuple[float, ...]

    @property
    def median(self) -> float:
        return self.quantiles[QUANTILES.index(0.5)]


@dataclass(frozen=True)
class Reading:
    """A value a document; units: which attempt; long: a visit was longer than the study's limit."""

    workers: NDArray[np.int64]
    units: NDArray[np.int64]
    seconds: NDArray[np.float64]
    long: NDArray[np.bool_]
    long_visits: int

    @property
    def all(self) -> Summary | None:
        return summary(self.seconds)

    @property
    def without_long(self) -> Summary | None:
        return summary(self.seconds[~self.long])

    def of(self, worker: int) -> Summary | None:
        return summary(self.seconds[self.workers == worker])


def summary(seconds: NDArray[np.float64]) -> Summary | None:
    n = len(seconds)
    if not n:
        return None
    sd = float(seconds.std(ddof=1)) if n > 1 else np.nan
    return Summary(n, float(seconds.mean()), sd, tuple(np.quantile(seconds, QUANTILES).tolist()))


def reading(study: Study) -> Reading:
    """An assignment stores the seconds on each of its pages, summed over visits."""
    completed = Assignment.objects.completed().not_excluded().filter(study=study)
    rows = list(completed.values_list("id", "worker_id", "seconds"))
    assignments, workers, seconds = zip(*rows, strict=True) if rows else ((), (), ())
    sizes = np.fromiter(map(len, seconds), np.int64, len(rows))
    before = dict(zip(assignments, (sizes.cumsum() - sizes - 1).tolist(), strict=True))
    visits = _long_visits(study)
    long = np.zeros(sizes.sum(), np.bool_)
    long[[before[assignment] + page for assignment, page in visits]] = True
    return Reading(
        np.repeat(np.array(workers, np.int64), sizes),
        np.repeat(np.array(assignments, np.int64), sizes),
        np.fromiter(chain.from_iterable(seconds), np.float64, len(long)),
        long,
        sum(visits.values()),
    )


def _long_visits(study: Study) -> dict[tuple[int, int], int]:
    limit = timedelta(minutes=study.long_visit_minutes)
    rows = Visit.objects.filter(
        assignment__study=study,
        assignment__state=State.COMPLETED,
        assignment__worker__excluded_at=None,
        closed_at__gt=F("opened_at") + limit,
    ).values_list("assignment_id", "position")
    return {(unit, page): n for unit, page, n in rows.annotate(n=Count("id"))}


@dataclass(frozen=True)
class Histogram:
    edges: tuple[float, ...]
    short: tuple[int, ...]
    long: tuple[int, ...]  # with a visit over the limit


BINS_A_DECADE = 20
MIN_SECONDS = 0.1  # shorter times are shown here


def histogram(read: Reading, minimum: float) -> Histogram:
    """Those with a long visit apart; there must be one document. The study's minimum is shown."""
    logs = np.log10(np.maximum(read.seconds, MIN_SECONDS)) * BINS_A_DECADE
    lowest = np.log10(max(minimum, MIN_SECONDS)) * BINS_A_DECADE
    first = int(np.floor(min(logs.min(), lowest))) if minimum else int(np.floor(logs.min()))
    last = int(np.floor(logs.max())) + 1
    places = np.floor(logs).astype(int) - first
    edges = 10 ** (np.arange(first, last + 1) / BINS_A_DECADE)
    short, long = (
        np.bincount(places[chosen], minlength=last - first).tolist()
        for chosen in (~read.long, read.long)
    )
    return Histogram(tuple(edges.tolist()), tuple(short), tuple(long))
