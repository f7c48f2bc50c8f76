"""The small pictures of cards: dots with their intervals on one axis, and a bar of parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from evaluation.presentation import plots
from web.drawing.charts import svg

WIDTH, LABEL_WIDTH = 330, 72  # pixels of the rows together
LINE = 20  # of a row at most
LARGEST, SMALLEST = 64, 5  # area of a dot
BAR = 360


@dataclass(frozen=True)
class Row:
    """A value with its interval, under each other; a row without a name has more room."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    apart: bool = False  # drawn as a ring: it is of another kind


@dataclass(frozen=True)
class Axis:
    """From where to where a picture goes, and the values that are written below it."""

    low: float
    high: float
    ticks: tuple[float, ...]


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
    ticks: dict[str, Any] = {
        "values": axis.ticks,
        "labels": [f"{tick:.{decimals}f}" for tick in axis.ticks],
    }

    def across(field: str) -> plots.Axis:
        return plots.axis(field, None, domain=(axis.low, axis.high), grid=False, **ticks)

    last = len(rows) - 0.5
    down = (
        plots.names("row", [row.name for row in rows])
        if named
        else plots.axis("row", None, domain=(-last, 0.5), is_shown=False)
    )
    data: dict[str, list[dict[str, Any]]] = {
        "rows": [
            {
                "row": row.name if named else -place,
                "apart": row.apart,
                **{end: _within(getattr(row, end), axis) for end in ("value", "low", "high")},
            }
            for place, row in enumerate(rows)
        ],
        "marks": [{"at": value, "name": name} for name, value in marks],
    }
    size = max(min(LARGEST, 0.55 * each**2), SMALLEST)
    ring = {"filled": False, "colour": plots.OTHER}
    dots: dict[str, Any] = {
        "size": size,
        "by": "apart",
        "kinds": {False: {}, True: ring},
        "legend": False,
    }
    text: dict[str, Any] = {"size": 12, "dy": -10, "colour": plots.INK}
    width = 1.5 if each >= 2 else 0.3  # else lines would run into one area
    plot = plots.layer(
        plots.mark("rule", "rows", x=across("low"), x2="high", y=down, width=width, opacity=0.7),
        plots.mark("point", "rows", x=across("value"), y=down, **dots),
        plots.rule_at("marks", x=across("at")),
        plots.mark("text", "marks", x=across("at"), text="name", **text),
    )
    picture = svg(plots.sized(plot, round(each * len(rows)) or 1, WIDTH), described, data)
    return mark_safe(picture)  # noqa: S308 - drawn here


def _within(value: float | None, axis: Axis) -> float | None:
    return None if value is None else min(max(value, axis.low), axis.high)


def bar(parts: Sequence[tuple[str, int]], described: str) -> SafeString:
    """A bar of several parts, each with its name and number below it."""
    whole = sum(n for _, n in parts) or 1
    room = BAR - 2
    edges, place = [], 1.0
    for kind, n in parts:
        width = room * n / whole
        edges.append((kind, round(place, 1), round(width, 1)))
        place += width
    return format_html(
        '<svg class="small-picture" viewBox="0 0 {} 26" role="img" aria-label="{}">{}'
        '<rect class="frame" x="1" y="3" width="{}" height="20"/></svg>',
        BAR,
        described,
        format_html_join(
            "",
            '<rect class="{}" x="{}" y="3" width="{}" height="20"/>',
            (edge for edge in edges if edge[2]),
        ),
        room,
    )
