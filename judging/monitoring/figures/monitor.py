from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from judging.monitoring import seconds
from judging.monitoring.figures import plots
from judging.monitoring.figures.bins import LAST_NAMES
from judging.monitoring.over_time import KINDS
from judging.monitoring.pace import Pace
from judging.monitoring.tries import Check, Rate
from judging.monitoring.watch import Watch
from judging.monitoring.words import percent, span
from magnitudes.files.words import count

HOUR = timedelta(hours=1)
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Figure:
    name: str  # in addresses
    sentence: str
    columns: tuple[str, ...]
    rows: list[Row]
    draw: Callable[[], str]
    until: datetime | None = None  # what happened later is not in it; None: all is

    @property
    def svg(self) -> str:
        return self.draw()

    @property
    def headings(self) -> list[str]:
        return [name.replace("_", " ") for name in self.columns]

    @property
    def shown(self) -> list[list[str]]:
        return [[_shown(value) for value in row] for row in self.rows]

    @property
    def body(self) -> SafeString:
        """Rows of HTML: a template takes far longer for so many cells."""
        cells = "<td>{}</td>" * len(self.columns)
        return format_html_join("", f"<tr>{cells}</tr>", self.shown)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def _recently(watch: Watch) -> str:
    return f"In the last {LAST_NAMES[watch.last]} " if watch.last else ""


def _until(watch: Watch) -> datetime | None:
    """Up to when a picture shows what happened, while work goes on: less often than numbers."""
    if not watch.lifetime or not (watch.progress.live or watch.progress.free):
        return None
    return watch.lifetime.until


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- the course of the study ------------------------------------------------------------------
def course(watch: Watch) -> Figure | None:
    if watch.whole_lifetime is None or not watch.progress.units:
        return None
    bins, counts = watch.whole_lifetime
    done = tuple(zip([*bins.edges[:-1], bins.until], accumulate(counts, initial=0), strict=True))
    planned, pace = watch.progress.units, watch.course.pace
    forecast = _forecast(done[-1], planned, pace) if pace else ()
    text = f"{done[-1][1]:,} of {count(planned, 'unit')} completed"
    rows: list[Row] = [(at, n, None, None, None) for at, n in done]
    rows += [(at, None, low, mean, high) for at, low, mean, high in forecast]
    return Figure(
        "course",
        text,
        ("time", "completed", "low", "expected", "high"),
        rows,
        lambda: plots.course(done, forecast, planned, "Units completed, over time."),
        _until(watch),
    )


def _forecast(
    last: tuple[datetime, int], planned: int, pace: Pace
) -> tuple[tuple[datetime, float, float | None, float], ...]:
    now, done = last
    horizon = min(pace.latest, now + 3 * (pace.expected - now))  # so that the past can be seen too

    def reached(at: datetime, end: datetime) -> float:
        return min(float(planned), done + (planned - done) * ((at - now) / (end - now)))

    times = sorted({now, pace.earliest, pace.expected, horizon})
    return tuple(
        (
            at,
            reached(at, pace.latest),
            reached(at, pace.expected) if at <= pace.expected else None,
            reached(at, pace.earliest),
        )
        for at in times
    )


# --- units over time --------------------------------------------------------------------------
def units(watch: Watch) -> Figure | None:
    if watch.bins is None:
        return None
    bins, ended = watch.bins, watch.ended
    hours = bins.width / HOUR
    sums = {kind: sum(ended[kind]) for kind in KINDS}
    until = _until(watch)
    upto = f"until {until:%H:%M:%S} " if until else ""
    text = _capitalised(
        f"{_recently(watch)}{upto}{count(sums['completed'], 'unit was', 'units were')} completed;"
        f" {count(sums['failed'], 'attempt')} failed a check, {sums['left']:,} left,"
        f" {sums['expired']:,} expired"
    )
    shown = tuple((f"{kind} per hour", tuple(n / hours for n in ended[kind])) for kind in KINDS)
    return Figure(
        "units",
        text,
        ("from", "to", *KINDS, "completed_an_hour"),
        [
            (*edges, *counts, counts[0] / hours)
            for edges, *counts in zip(
                pairwise(bins.edges), *(ended[kind] for kind in KINDS), strict=True
            )
        ],
        lambda: plots.bars(
            tuple(bins.edges), (shown[:1], shown[1:]), f"{text}; one bar per {span(bins.width)}."
        ),
        until,
    )


# --- seconds on a document --------------------------------------------------------------------
def seconds_on_documents(watch: Watch) -> Figure | None:
    read, minimum = watch.reading, watch.study.minimum_seconds
    if read.all is None:
        return None
    bars, summary = seconds.histogram(read, minimum), read.all
    text = f"Median time on a document: {summary.median:.0f} s"
    return Figure(
        "seconds",
        text,
        ("from_seconds", "to_seconds", "documents", "with_a_long_visit"),
        [
            (*edges, short + long, long)
            for edges, short, long in zip(pairwise(bars.edges), bars.short, bars.long, strict=True)
        ],
        lambda: plots.histogram(
            bars.edges, bars.short, bars.long, minimum, summary.quantiles, f"{text}."
        ),
    )


# --- failed checks over time ------------------------------------------------------------------
def failures(watch: Watch) -> Figure | None:
    if watch.over_time is None or watch.bins is None or not watch.any_failed:
        return None
    bins, counts = watch.bins, watch.over_time.counts
    total = sum(map(sum, counts.values()))
    text = _capitalised(f"{_recently(watch)}{count(total, 'check')} failed")
    kinds = tuple((check.label, tuple(counts[check])) for check in Check)
    return Figure(
        "failures",
        text,
        ("from", "to", *Check.values),
        [
            (*edges, *values)
            for edges, *values in zip(pairwise(bins.edges), *counts.values(), strict=True)
        ],
        lambda: plots.bars(tuple(bins.edges), (kinds,), f"{text}; one bar per {span(bins.width)}."),
        _until(watch),
    )


def rates(watch: Watch) -> Figure | None:
    if watch.over_time is None or watch.bins is None or not watch.any_failed:
        return None
    edges, rates_of = tuple(watch.bins.edges), watch.over_time.rates
    text = _capitalised(f"{_recently(watch)}{_most_failed(rates_of)}")
    kinds = tuple((check.label, tuple(map(_interval, rates_of[check]))) for check in Check)
    return Figure(
        "rates",
        text,
        ("from", "to", "check", "failures", "tries", "share", "low", "high"),
        [
            (*pair, check, rate.failures, rate.tries, *_interval(rate))
            for check, values in rates_of.items()
            for pair, rate in zip(pairwise(edges), values, strict=True)
            if rate.tries
        ],
        lambda: plots.rates(edges, kinds, f"{text}."),
        _until(watch),
    )


def _interval(rate: Rate) -> plots.Interval:
    return (rate.share, *(rate.interval or (None, None)))


def _most_failed(rates_of: dict[str, list[Rate]]) -> str:
    sums = {
        check: Rate(
            sum(rate.failures for rate in rates_of[check]),
            sum(rate.tries for rate in rates_of[check]),
        )
        for check in Check
    }
    worst = max(sums, key=lambda check: sums[check].share or 0)
    share = sums[worst].share
    if not share:
        return "no check failed"
    return f"{worst.label} failed most often: {percent(share)} of tries"


FIGURES: dict[str, Callable[[Watch], Figure | None]] = {
    "course": course,
    "units": units,
    "seconds": seconds_on_documents,
    "failures": failures,
    "rates": rates,
}
