"""Axes: from values to pixels, and which values have a tick."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from web.drawing.texts import numbers

LEAST, MOST = 1e-300, 1e300  # of a number that is drawn
DAY = 86400
# Seconds between ticks of time; months have no fixed length.
CLOCK_STEPS = 1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, DAY, 2 * DAY, 7 * DAY
MONTH = 30.5 * DAY
MONTHS = 1, 3, 12, 60
MONDAY = 4 * DAY  # the first after 1970 began
BAND = 0.8  # of the room of a name, for what lies side by side in it


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What lies along x or y; `names` are in `order`, and | divides their lines."""

    field: str
    title: str | Sequence[str] | None = None
    kind: Literal["linear", "log", "time", "names"] = "linear"
    order: Sequence[Any] = ()
    domain: tuple[float, float] | None = None
    ticks: int = 5  # about so many
    values: Sequence[Any] | None = None  # instead of those
    labels: Sequence[str] = ()  # of the values, instead of numbers
    percent: bool = False
    whole: bool = False  # no ticks between whole numbers
    grid: bool = True
    is_shown: bool = True  # else x is a line without ticks
    room: int = 190  # pixels for a name
    least_room: int = 0


@dataclass(frozen=True)
class Scale:
    """An axis as long as `size`, upwards from the bottom or to the right, or names downwards."""

    axis: Axis
    low: float
    high: float
    size: int
    is_up: bool = False
    places: dict[Any, int] = field(default_factory=dict)

    @property
    def step(self) -> float:
        """Pixels from name to name."""
        return self.size / max(len(self.places), 1)

    def at(self, value: Any) -> float | None:
        """The pixel of a value; None of one that has none."""
        if self.axis.kind == "names":
            return (self.places[value] + 0.5) * self.step if value in self.places else None
        number = known(value)
        if number is None or (self.axis.kind == "log" and number <= 0):
            return None
        if self.axis.kind == "log":
            number = math.log10(max(number, LEAST))
        share = (number - self.low) / (self.high - self.low)
        return self.size * (1 - share if self.is_up else share)

    def labels(self) -> list[tuple[float, str]]:
        """Where ticks are, and what they say."""
        axis = self.axis
        if axis.kind == "names":
            values: Sequence[Any] = [
                v for v in axis.order if axis.values is None or v in axis.values
            ]
            texts: Sequence[str] = axis.labels or [str(value) for value in values]
        elif axis.kind == "time":
            values = time_ticks(self.low, self.high, axis.ticks)
            texts = [clock(value) for value in values]
        else:
            values, texts = self._numbers()
        labelled = zip(map(self.at, values), texts, strict=True)
        return [(at, text) for at, text in labelled if at is not None and self.holds(at)]

    def _numbers(self) -> tuple[Sequence[float], Sequence[str]]:
        axis, low, high = self.axis, self.low, self.high
        if axis.kind == "log":
            low, high = 10**low, 10**high
        values = axis.values
        if values is None and axis.kind == "log":
            values = log_ticks(low, high, axis.ticks)
        if values is None or (axis.kind == "log" and len(values) < 2):
            values = linear_ticks(low, high, axis.ticks, whole=axis.whole)
        alone = axis.kind == "log" and not axis.percent
        texts = [text for v in values for text in numbers([v])] if alone else None
        return values, axis.labels or texts or numbers(values, axis.percent)

    def holds(self, pixel: float) -> bool:
        return -0.01 <= pixel <= self.size + 0.01


def known(value: Any) -> float | None:
    """A finite number, or nothing."""
    if value is None or isinstance(value, str) or not math.isfinite(value):
        return None
    return float(value) if abs(value) >= LEAST else 0.0


def scale_of(axis: Axis, values: Iterable[Any], size: int, *, is_up: bool = False) -> Scale:
    """With room for all values, and ends at ticks; or for the domain that an axis has."""
    if axis.kind == "names":
        places = {name: place for place, name in enumerate(axis.order)}
        return Scale(axis, 0, 1, size, False, places)
    is_log = axis.kind == "log"
    given = axis.domain or values
    finite = [min(max(one, -MOST), MOST) for one in map(known, given) if one is not None]
    if is_log:
        finite = [max(number, LEAST) for number in finite if number > 0]
    low, high = min(finite, default=1 if is_log else 0), max(finite, default=1)
    if high - low <= 2e-9 * max(abs(low), abs(high), axis.whole):
        apart = max(abs(low) / 10, axis.whole) or 1.0
        low, high = (low / 2, high * 2) if is_log else (low - apart, high + apart)
    if axis.domain is None and axis.kind != "time":
        low, high = _round_log(low, high) if is_log else _round(low, high, axis)
    if is_log:
        low, high = math.log10(low), math.log10(high)
    return Scale(axis, low, high, size, is_up)


def _round(low: float, high: float, axis: Axis) -> tuple[float, float]:
    factor, power = _step(low, high, 2 * axis.ticks, whole=axis.whole)
    step = float(f"{factor}e{power}")
    ends = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    low, high = (float(f"{end * factor}e{power}") for end in ends)
    return low, high


def _round_log(low: float, high: float) -> tuple[float, float]:
    """To 1, 2 or 5 times a power of ten."""
    steps = [
        float(f"{by}e{power}")
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for by in (1, 2, 5)
    ]
    below, above = 1 + 1e-9, 1 - 1e-9
    return (
        max((step for step in steps if step <= low * below), default=low),
        min((step for step in steps if step >= high * above), default=high),
    )


def _step(low: float, high: float, count: int, *, whole: bool = False) -> tuple[int, int]:
    """The distance of ticks: 1, 2 or 5 times a power of ten, as the factor and the power."""
    rough = (high - low) / count
    power = math.floor(math.log10(rough))
    rest = rough / 10.0**power
    factor = next((by for by, least in ((10, 50), (5, 10), (2, 2)) if rest >= least**0.5), 1)
    return (1, 0) if whole and power < 0 and (factor, power) != (10, -1) else (factor, power)


def linear_ticks(low: float, high: float, count: int, *, whole: bool = False) -> list[float]:
    """Round numbers, about as many as asked for.

    >>> linear_ticks(0, 1, 5), linear_ticks(-3, 14, 4), linear_ticks(0, 1, 5, whole=True)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5.0, 10.0], [0.0, 1.0])
    """
    factor, power = _step(low, high, count, whole=whole)
    step = float(f"{factor}e{power}")
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * factor}e{power}") for place in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of ten; on a short axis 2 and 5 times them, too, or all numbers between.

    >>> log_ticks(0.02, 80, 5), log_ticks(2, 3, 5), log_ticks(0.0009, 37, 5)
    ([0.1, 1.0, 10.0], [2.0, 3.0], [0.001, 0.01, 0.1, 1.0, 10.0])
    """
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    step = max(1, math.ceil((last - first) / most))
    factors = (1,) if high / low > 500 else (1, 2, 5) if high / low > 4 else range(1, 10)
    # Counted from the last: where powers are left out, the first may lie before the axis anyway.
    values = [float(f"{by}e{power}") for power in range(last, first - 1, -step) for by in factors]
    return [value for value in sorted(values) if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def time_ticks(low: float, high: float, count: int) -> list[float]:
    """Round times, as seconds since 1970, in UTC."""
    rough = (high - low) / count
    step = min((*CLOCK_STEPS, *(MONTH * by for by in MONTHS)), key=lambda one: _apart(one, rough))
    if step <= CLOCK_STEPS[-1]:
        start = MONDAY if step > DAY else 0
        first, last = math.ceil((low - start) / step), math.floor((high - start) / step)
        return [start + place * step for place in range(first, last + 1)]
    begin, end = (datetime.fromtimestamp(time, UTC) for time in (low, high))
    by = round(step / MONTH)
    months = range(begin.year * 12 // by * by, end.year * 12 + end.month + 1, by)
    ticks = [datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp() for month in months]
    return [tick for tick in ticks if low <= tick <= high]


def _apart(one: float, other: float) -> float:
    return abs(math.log(one / max(other, 1e-9)))


def clock(time: float) -> str:
    """The hour where days do not change, and the day where they do.

    >>> clock(90), clock(3600), clock(86400), clock(31 * 86400), clock(0)
    ('00:01:30', '01:00', '2 Jan', 'February', '1970')
    """
    at = datetime.fromtimestamp(time, UTC)
    if time % DAY:
        return f"{at:%H:%M:%S}" if time % 60 else f"{at:%H:%M}"
    if at.day > 1:
        return f"{at.day} {at:%b}"
    return f"{at:%B}" if at.month > 1 else f"{at:%Y}"
