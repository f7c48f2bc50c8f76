"""Small SVG plots in table rows, on an axis that rows share.

Their colours come from the page's style sheet.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT, EDGE = 240, 20, 8  # the edge leaves room for half a dot
MIDDLE = HEIGHT // 2
MAX_TICKS = 5
SPACING, MAX_SPREAD = 5, 40  # of dots at one place


@dataclass(frozen=True)
class Axis:
    """On a log axis both ends are above 0. `whole`: ticks are at whole numbers alone."""

    low: float
    high: float
    log: bool = False
    whole: bool = False

    @classmethod
    def of(cls, values: Iterable[float], *, log: bool = False) -> "Axis":
        """The range of all finite values.

        >>> Axis.of([0.2, math.inf, 30], log=True)
        Axis(low=0.2, high=30, log=True, whole=False)
        """
        finite = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
        low, high = (min(finite), max(finite)) if finite else (1.0, 1.0)
        if low == high:
            low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
        return cls(low, high, log)

    def x(self, value: float) -> float:
        """Clamped to the ends of the axis."""
        low, high, at = self.low, self.high, max(value, self.low)
        if self.log:
            low, high, at = map(math.log, (low, high, at))
        share = min((at - low) / (high - low), 1.0)
        return round(EDGE + share * (WIDTH - 2 * EDGE), 1)

    @property
    def ticks(self) -> list[float]:
        if self.log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            every = max(1, math.ceil(len(powers) / MAX_TICKS))
            return [10.0**power for power in powers[::every]] or [self.low, self.high]
        step = max(_round_step(self.high - self.low), 1.0 if self.whole else 0.0)
        first = math.ceil(self.low / step - 1e-9)
        return [n * step for n in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _round_step(length: float) -> float:
    power = 10.0 ** math.floor(math.log10(length / MAX_TICKS))
    return next(power * n for n in (1, 2, 5, 10) if power * n * MAX_TICKS >= length * (1 - 1e-9))


def scale(axis: Axis, title: str) -> SafeString:
    numbers = format_html_join(
        "", '<text x="{}" y="14">{}</text>', ((axis.x(tick), f"{tick:g}") for tick in axis.ticks)
    )
    return format_html(
        '<svg class="strip scale" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        *(WIDTH, HEIGHT, f"{title}, {axis.low:.3g} to {axis.high:.3g}", numbers),
    )


def dots(
    axis: Axis, values: Sequence[float], label: str, middle: float | None = None
) -> SafeString:
    path = "".join(f"M{x:g} {MIDDLE}h0" for x in _side_by_side([axis.x(v) for v in values]))
    return _sparkline(label, ("dots", path), ("upright", _tick(axis, middle)))


def _side_by_side(places: Sequence[float]) -> Iterator[float]:
    """The x coordinates of dots: those at one place are drawn a little apart.

    >>> list(_side_by_side([8, 120, 120]))
    [8.0, 117.5, 122.5]
    """
    for place, n in Counter(places).items():
        step = min(SPACING, MAX_SPREAD / n)
        yield from (place + (k - (n - 1) / 2) * step for k in range(n))


def among(axis: Axis, value: float, median: float, best: float, label: str) -> SafeString:
    """A dot at the value, a short tick at the median and a long one at the best."""
    return _sparkline(
        label,
        ("line", f"M{axis.x(min(value, median))} {MIDDLE}H{axis.x(max(value, best))}"),
        ("upright", f"M{axis.x(median)} 6V14"),
        ("best", _tick(axis, best)),
        ("dot", f"M{axis.x(value)} {MIDDLE}h0"),
    )


def bar(axis: Axis, value: float, label: str) -> SafeString:
    kind = "bar" if value >= 0 else "bar under"
    return _sparkline(
        label, (kind, f"M{axis.x(0)} {MIDDLE}H{axis.x(value)}"), ("upright", _tick(axis, 0.0))
    )


def interval(
    axis: Axis,
    low: float | None,
    value: float,
    high: float | None,
    label: str,
    edge: float | None = None,
) -> SafeString:
    """A dot at the value, a line from low to high, and a tick at the edge."""
    line = "" if low is None or high is None else f"M{axis.x(low)} {MIDDLE}H{axis.x(high)}"
    return _sparkline(
        label,
        ("line", line),
        ("upright", "" if edge is None else f"M{axis.x(edge)} -8V28"),
        ("dot", f"M{axis.x(value)} {MIDDLE}h0"),
    )


def _tick(axis: Axis, value: float | None) -> str:
    return "" if value is None else f"M{axis.x(value)} 2V18"


def _sparkline(label: str, *paths: tuple[str, str]) -> SafeString:
    drawn = format_html_join(
        "", '<path class="{}" d="{}"></path>', ((kind, path) for kind, path in paths if path)
    )
    return format_html(
        '<svg class="strip" viewBox="0 0 {} {}" role="img"><title>{}</title>{}</svg>',
        *(WIDTH, HEIGHT, label, drawn),
    )
