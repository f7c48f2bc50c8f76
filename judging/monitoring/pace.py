from dataclasses import dataclass
from datetime import datetime, timedelta

import scipy  # its parts are loaded when they are used
from django.db.models import Count, F, FloatField, Max, Min, Q, QuerySet
from django.db.models.functions import Cast, Extract

from judging.models import Assignment, Study
from judging.monitoring import words
from judging.monitoring.progress import Progress
from judging.monitoring.status.flow import Flow, Status
from judging.states import State
from judging.studies.table_one import Quantiles

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
# The shortest of these with enough units is used; the longest, if none has them.
WINDOWS = (HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY)
ENOUGH_UNITS = 30  # units: then the rate is known to about a third, with 95% confidence
MIN_UNITS, MIN_WORKERS = 10, 2  # with fewer there is no forecast
FILLING_FACTOR = 2  # times what three quarters of units take: so long a study fills itself
TAIL = 0.025  # on either side of a 95% interval
MIN_HOURS, MAX_HOURS = 1 / 3600, 100 * 365 * 24.0  # hours


@dataclass(frozen=True)
class Pace:
    window: timedelta
    units: int
    per_hour: float
    slowest: float
    fastest: float
    expected: datetime
    earliest: datetime
    latest: datetime

    @property
    def window_words(self) -> str:
        """The window in words: 'hour', '3 days', or as long as there were units."""
        return words.span(self.window) if self.window in WINDOWS else words.duration(self.seconds)

    @property
    def seconds(self) -> float:
        return self.window.total_seconds()


@dataclass(frozen=True)
class Course:
    status: str  # unplanned, draft, paused, closed, done, unknown, silent, paced
    until: datetime
    last_at: datetime | None
    pace: Pace | None = None

    @property
    def ends(self) -> str:
        return words.day(self.pace.expected, self.until) if self.pace else ""

    @property
    def between(self) -> tuple[str, str] | None:
        if self.pace is None:
            return None
        ends = (self.pace.earliest, self.pace.latest)
        return (words.moment(ends[0], self.until), words.moment(ends[1], self.until))


def interval_of_rate(units: int, hours: float) -> tuple[float, float]:
    """The exact 95% interval of a Poisson rate (Garwood, Biometrika, 1936), per hour.

    >>> [round(end, 2) for end in interval_of_rate(10, 1)]
    [4.8, 18.39]
    """
    low = scipy.special.chdtri(2 * units, 1 - TAIL) / 2 if units else 0.0
    return float(low / hours), float(scipy.special.chdtri(2 * units + 2, TAIL) / 2 / hours)


def hours_left(remaining: int, units: int, hours: float) -> tuple[float, float]:
    """The 95% prediction interval of the time that `remaining` further units will take.

    `units` came in `hours`, as a Poisson process that goes on. The time to the r-th event to come,
    over the time per event so far, then follows an F distribution with 2r and 2n degrees of freedom
    (Nelson, Applied Life Data Analysis, 1982); as `hours` were given and not the units, n + 1
    stands for n at the early end, which errs on the wide side.
    """
    early = remaining / (units + 1) * scipy.special.fdtri(2 * remaining, 2 * units + 2, TAIL)
    late = remaining / units * scipy.special.fdtri(2 * remaining, 2 * units, 1 - TAIL)
    return float(hours * early), float(hours * late)


def course(study: Study, progress: Progress, flow: Flow, until: datetime) -> Course:
    """The status of a study and, while units are being completed, their pace until a moment.

    Units are counted once the study has filled itself, as at first many are in progress and none is
    completed. The unit completed last is the last of all, that moment or not. While no forms come
    in, nothing is forecast.
    """
    completed = Assignment.objects.filter(study=study, state=State.COMPLETED)
    before = Q(finished_at__lt=until)
    took = Cast(Extract(F("finished_at") - F("started_at"), "epoch"), FloatField())
    totals = completed.aggregate(
        all=Count("id", filter=before),
        first=Min("started_at", filter=before),
        last=Max("finished_at"),
        took=Quantiles(took, 0.75),
    )
    status = "paced" if flow.is_flowing else "silent"
    if not progress.units:
        status = "unplanned"
    elif flow.status in (Status.DRAFT, Status.DONE, Status.PAUSED, Status.CLOSED):
        status = flow.status
    if status != "paced" or not totals["all"]:
        return Course("unknown" if status == "paced" else status, until, totals["last"])
    begin = totals["first"] + timedelta(seconds=FILLING_FACTOR * totals["took"][0])
    recent, workers = _recent(completed.filter(before), begin, until)
    if recent[-1] < MIN_UNITS or workers < MIN_WORKERS:
        return Course("unknown", until, totals["last"])
    remaining = max(progress.units - totals["all"], 1)  # the last may have come since `progress`
    return Course(status, until, totals["last"], _pace(remaining, recent, begin, until))


def _recent(
    completed: QuerySet[Assignment], begin: datetime, until: datetime
) -> tuple[list[int], int]:
    counts = {
        f"in_{number}": Count("id", filter=Q(finished_at__gte=max(begin, until - window)))
        for number, window in enumerate(WINDOWS)
    }
    lasting = Q(finished_at__gte=max(begin, until - WINDOWS[-1]))
    row = completed.aggregate(workers=Count("worker", distinct=True, filter=lasting), **counts)
    return [row[name] for name in counts], row["workers"]


def _pace(remaining: int, recent: list[int], first: datetime, until: datetime) -> Pace:
    window, units = next(
        (pair for pair in zip(WINDOWS, recent, strict=True) if pair[1] >= ENOUGH_UNITS),
        (WINDOWS[-1], recent[-1]),
    )
    window = min(window, until - first)
    hours = window / HOUR
    ends = (remaining * hours / units, *hours_left(remaining, units, hours))
    dates = (until + timedelta(hours=min(max(end, MIN_HOURS), MAX_HOURS)) for end in ends)
    return Pace(window, units, units / hours, *interval_of_rate(units, hours), *dates)
