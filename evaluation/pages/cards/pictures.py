"""The small pictures of cards: dots with their intervals on one axis, and a bar of parts."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from evaluation.presentation import plots
from evaluation.presentation.parts import number, span
from web.drawing.charts import svg

WIDTH, LABEL_WIDTH = 330, 72  # pixels of the rows together
LINE = 20  # of a row at most
LARGEST, SMALLEST = 64, 5  # area of a dot
BAR = 360
KINDS: dict[bool, dict[str, Any]] = {False: {}, True: {"filled": False, "colour": plots.OTHER}}


class Row(NamedTuple):
    """A value with its interval, under each other; a row without a name has more room.

    said: what its dot says; what it shows otherwise is its name and value. system: whose it is.
    beside: what stands beside its dot.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    apart: bool = False  # drawn as a ring: it is of another kind
    said: str = ""
    system: str | None = None
    beside: str | None = None

    @property
    def known(self) -> list[float]:
        """Value and ends of the interval, those that there are."""
        return [end for end in self[1:4] if end is not None]

    @property
    def says(self) -> str:
        if self.said:
            return self.said
        ends = "" if self.low is None or self.high is None else f" ({span(self.low, self.high)})"
        return f"{f'{self.name}: ' if self.name else ''}{number(self.value)}{ends}"


class Axis(NamedTuple):
    """From where to where a picture goes, and the values and the title that stand below it."""

    low: float
    high: float
    ticks: tuple[float, ...]
    title: str = ""


def to_one(
    rows: Sequence[Row], title: str, described: str, marks: Sequence[tuple[str, float]] = ()
) -> SafeString:
    """A strip of numbers that are 1 at most, from 0 or the least of them."""
    axis = Axis(min(0.0, *(end for row in rows for end in row.known)), 1.0, (0.0, 0.5, 1.0), title)
    return strip(rows, axis, described, marks)


def strip(
    rows: Sequence[Row], axis: Axis, described: str, marks: Sequence[tuple[str, float]] = ()
) -> SafeString:
    """Dots with their intervals on one axis, the first row above; what is beyond stands at its end.

    marks: dashed lines from top to bottom, each with a name above it. described: what a screen
    reader says of the picture.
    """
    named = any(row.name for row in rows)
    each = max(min(LINE, LABEL_WIDTH / max(len(rows), 1)), 0.5)
    decimals = 2 if any(round(tick, 1) != tick for tick in axis.ticks) else 1
    labels = [f"{tick:.{decimals}f}" for tick in axis.ticks]
    domain, last = (axis.low, axis.high), len(rows) - 0.5
    ticks: dict[str, Any] = {"domain": domain, "values": axis.ticks, "labels": labels}
    low, value, at = (
        plots.axis(field, axis.title or None, grid=False, **ticks)
        for field in ("low", "value", "at")
    )
    down = plots.axis("row", None, domain=(-last, 0.5), is_shown=False)
    if named:
        down = plots.names("row", [row.name for row in rows])
    size = max(min(LARGEST, 0.55 * each**2), SMALLEST)
    width = 1.5 if each >= 2 else 0.3  # else lines would run into one area
    text: dict[str, Any] = {"size": 12, "dy": -10, "colour": plots.INK}
    dots: dict[str, Any] = {"size": size, "by": "apart", "kinds": KINDS, "legend": False}
    beside: dict[str, Any] = {"text": "beside", "size": 12, "anchor": "end", "dx": -7}
    plot = plots.layer(
        plots.mark("rule", "rows", x=low, x2="high", y=down, width=width, opacity=0.7),
        plots.mark("point", "rows", x=value, y=down, named=True, **dots),
        plots.mark("text", "rows", x=value, y=down, colour=plots.INK, **beside),
        plots.rule_at("marks", x=at),
        plots.mark("text", "marks", x=at, text="name", **text),
    )
    ends = [
        [None if end is None else min(max(end, axis.low), axis.high) for end in r[1:4]]
        for r in rows
    ]
    data: dict[str, list[dict[str, Any]]] = {
        "rows": [
            {"row": row.name if named else -place, "apart": row.apart, "name": row.says}
            | {"system": row.system, "beside": row.beside}
            | dict(zip(("value", "low", "high"), inside, strict=True))
            for place, (row, inside) in enumerate(zip(rows, ends, strict=True))
        ],
        "marks": [{"at": value, "name": name} for name, value in marks],
    }
    picture = svg(plots.sized(plot, round(each * len(rows)) or 1, WIDTH), described, data)
    return mark_safe(picture)  # noqa: S308 - drawn here


def bar(parts: dict[str, int], described: str) -> SafeString:
    """A bar of several parts, each with its name and number below it."""
    widths = [(BAR - 2) * n / (sum(parts.values()) or 1) for n in parts.values()]
    edges = (
        (kind, round(place, 1), round(width, 1))
        for kind, place, width in zip(parts, accumulate(widths, initial=1.0), widths, strict=False)
    )
    rect = '<rect class="{}" x="{}" y="3" width="{}" height="20"/>'
    return format_html(
        '<svg class="small-picture" viewBox="0 0 {} 26" role="img" aria-label="{}">{}'
        '<rect class="frame" x="1" y="3" width="{}" height="20"/></svg>',
        *(BAR, described, format_html_join("", rect, (edge for edge in edges if edge[2])), BAR - 2),
    )
