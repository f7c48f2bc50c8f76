"""How long documents of completed units were read."""

from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from judging.models import Study
from judging.states import State

# One row of packed columns, as NumPy takes them, a value a document: its worker, its assignment
# and page as one number, and the seconds on it, which the assignment keeps, summed over visits.
DOCUMENTS = """
    SELECT coalesce(string_agg(int8send(a.worker_id), ''), ''),
           coalesce(string_agg(int8send((a.id << 8) + s.position), ''), ''),
           coalesce(string_agg(float8send(s.seconds), ''), '')
    FROM judging_assignment a
    CROSS JOIN LATERAL unnest(a.seconds) WITH ORDINALITY s (seconds, position)
    WHERE a.study_id = %s AND a.state = %s
"""
LONG_VISITS = """
    SELECT (a.id << 8) + v.position, count(*)
    FROM judging_visit v JOIN judging_assignment a ON a.id = v.assignment_id
    WHERE a.study_id = %s AND a.state = %s
        AND v.closed_at - v.opened_at > %s * interval '1 minute'
    GROUP BY 1
"""
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
    """How long each document of the completed units was read."""
    with connection.cursor() as cursor:
        cursor.execute(DOCUMENTS, [study.pk, State.COMPLETED])
        workers, pages, seconds = cursor.fetchone()
        cursor.execute(LONG_VISITS, [study.pk, State.COMPLETED, study.long_visit_minutes])
        long = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2)
    return Reading(
        np.frombuffer(workers, ">i8").astype(np.int64),
        np.frombuffer(seconds, ">f8").astype(np.float64),
        np.isin(np.frombuffer(pages, ">i8").astype(np.int64), long[:, 0]),
        int(long[:, 1].sum()),
    )


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
