"""How long documents of completed units were read; by no excluded worker."""

from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.db.models import Count, F
from numpy.typing import NDArray

from judging.models import Assignment, Study, Visit
from judging.states import State

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Summary:
    """Seconds on n documents: mean and quantiles."""

    n: int
    mean: float
    quantiles: tuple[float, ...]

    @property
    def median(self) -> float:
        return self.quantiles[QUANTILES.index(0.5)]


@dataclass(frozen=True)
class Reading:
    """Seconds on every document of the completed units: one value a document.

    workers: whose it was; long: whether a visit to it was longer than the study's limit.
    """

    workers: NDArray[np.int64]
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
        """One worker's, by key."""
        return summary(self.seconds[self.workers == worker])


def summary(seconds: NDArray[np.float64]) -> Summary | None:
    """Mean and quantiles; None of nothing."""
    if not len(seconds):
        return None
    quantiles = tuple(np.quantile(seconds, QUANTILES).tolist())
    return Summary(len(seconds), float(seconds.mean()), quantiles)


def reading(study: Study) -> Reading:
    """How long each document of the completed units was read.

    An assignment keeps the seconds on each of its pages, summed over visits.
    """
    completed = Assignment.objects.completed().not_excluded().filter(study=study)
    visits = _long_visits(study)
    documents = [
        (worker, seconds, (assignment, page) in visits)
        for assignment, worker, pages in completed.values_list("id", "worker_id", "seconds")
        for page, seconds in enumerate(pages or (), 1)
    ]
    workers, seconds, long = zip(*documents, strict=True) if documents else ((), (), ())
    return Reading(
        np.array(workers, np.int64),
        np.array(seconds, np.float64),
        np.array(long, np.bool_),
        sum(visits.values()),
    )


def _long_visits(study: Study) -> dict[tuple[int, int], int]:
    """How many visits were longer than the study's limit, by assignment and page."""
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
    """Documents by seconds, in bins of equal width on a logarithmic scale."""

    edges: tuple[float, ...]
    short: tuple[int, ...]
    long: tuple[int, ...]  # with a visit over the limit


BINS_A_DECADE = 20
LEAST_SECONDS = 0.1  # anything shorter is shown here


def histogram(read: Reading, minimum: float) -> Histogram:
    """The distribution of seconds, those with a long visit apart; there must be one at least.

    It begins early enough to show the study's minimum.
    """
    logs = np.log10(np.maximum(read.seconds, LEAST_SECONDS)) * BINS_A_DECADE
    least = np.log10(max(minimum, LEAST_SECONDS)) * BINS_A_DECADE
    first = int(np.floor(min(logs.min(), least))) if minimum else int(np.floor(logs.min()))
    last = int(np.floor(logs.max())) + 1
    places = np.floor(logs).astype(int) - first
    edges = 10 ** (np.arange(first, last + 1) / BINS_A_DECADE)
    short, long = (
        np.bincount(places[chosen], minlength=last - first).tolist()
        for chosen in (~read.long, read.long)
    )
    return Histogram(tuple(edges.tolist()), tuple(short), tuple(long))
