from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, DateTimeField, F, Func, Max, Min, QuerySet, Value

from judging.models import Assignment, Study
from judging.monitoring.progress import Progress

MONDAY = datetime(1970, 1, 5, tzinfo=UTC)  # days begin at midnight, weeks on Monday
MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2 * 1440, 7 * 1440, 28 * 1440)
MIN_BINS, MAX_BINS = 8, 48  # bins
ATTEMPTS_PER_BIN = 5  # attempts that a bin should hold
MICROSECOND = timedelta(microseconds=1)
# Pictures show what was before the last of these steps: so they are drawn a few times an hour, or
# twice a minute while a study is young, not for every unit and every reader.
STEPS = tuple(timedelta(seconds=s) for s in (30, 60, 120, 300, 600))
STEP = STEPS[0]
PIXELS = 400  # of a picture's width: a step that is less than one of them wide is not seen
LAST = {"6h": timedelta(hours=6), "24h": timedelta(days=1), "7d": timedelta(days=7)}
LAST_NAMES = {"6h": "6 hours", "24h": "24 hours", "7d": "7 days"}


@dataclass(frozen=True)
class Bins:
    """`count` bins of `width` from `start` on; what happens from `until` on is left out."""

    start: datetime
    width: timedelta
    count: int
    until: datetime

    @property
    def edges(self) -> list[datetime]:
        return [self.start + n * self.width for n in range(self.count + 1)]

    def aggregate(
        self, rows: QuerySet[Any], field: str, columns: Mapping[str, Any]
    ) -> dict[str, list[int]]:
        """By column, a value a bin."""
        width, start = Value(self.width), Value(self.start)
        place = Func(width, F(field), start, function="date_bin", output_field=DateTimeField())
        within = {f"{field}__gte": self.start, f"{field}__lt": self.until}
        values = {name: [0] * self.count for name in columns}
        for row in rows.filter(**within).values(bin=place).annotate(**columns):
            index = (row["bin"] - self.start) // self.width
            for name in columns:
                values[name][index] = row[name]
        return values


def cover(start: datetime, until: datetime, max_bins: int = MAX_BINS) -> Bins:
    """At most `max_bins` bins of a round width."""
    min_width = (until - start) / (max_bins - 1)
    minutes = next((m for m in MINUTES if timedelta(minutes=m) >= min_width), None)
    width = timedelta(minutes=minutes) if minutes else timedelta(days=-(-min_width // timedelta(1)))
    first = MONDAY + (start - MONDAY) // width * width
    return Bins(first, width, max(1, -(-(until - first) // width)), until)


def as_of(now: datetime, span: timedelta) -> datetime:
    """The moment up to which pictures of the last `span` show what happened."""
    step = max((step for step in STEPS if PIXELS * step <= span), default=STEP)
    return MONDAY + (now - MONDAY) // step * step


@dataclass(frozen=True)
class Lifetime:
    """From a study's first attempt until now, or until its last one's end when all is over."""

    start: datetime
    until: datetime
    attempts: int

    def bins(self, last: str = "") -> Bins:
        """So wide that each has some attempts, if they come evenly; last: one of LAST, or all."""
        start = max(self.start, self.until - LAST[last]) if last in LAST else self.start
        span = max(self.until - start, STEP)
        attempts = self.attempts * (span / max(self.until - self.start, STEP))
        max_bins = min(max(MIN_BINS, int(attempts / ATTEMPTS_PER_BIN)), MAX_BINS)
        return cover(self.until - span, self.until, max_bins)


def lifetime(study: Study, progress: Progress, now: datetime, last: str = "") -> Lifetime | None:
    """None: nobody has come yet; last: one of LAST, see Lifetime."""
    totals = Assignment.objects.filter(study=study).aggregate(
        first=Min("started_at"), last=Max("active_at"), end=Max("finished_at"), n=Count("id")
    )
    if totals["first"] is None:
        return None
    over = progress.live == 0 and (study.stage == Study.Stage.CLOSED or progress.free == 0)
    span = min(now - totals["first"], LAST.get(last, timedelta.max))
    # Artificial workers have a clock of their own, which may be ahead.
    last_activity = max(totals["last"], totals["end"] or totals["last"])
    until = last_activity + MICROSECOND if over or last_activity > now else as_of(now, span)
    return Lifetime(totals["first"], until, totals["n"])
