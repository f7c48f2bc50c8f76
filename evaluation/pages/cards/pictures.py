"""The small pictures of cards, drawn as SVG by hand: what charts draw takes a tenth of a second."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH = 360
NAMES = 118  # of these for names at the left
RIGHT = 14
AXIS = 18  # below the rows
ROOM = 72  # for the rows
LETTERS = 12
LARGEST, LEAST = 4.5, 1.2  # radius of a dot
FINE = 2  # below so much room for a row lines would run into one area


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


Placed = Sequence[tuple[Row, float]]  # rows, and how far down they are
Across = Callable[[float], float]  # from a value to how far right it is


def strip(
    rows: Sequence[Row], axis: Axis, described: str, marks: Sequence[tuple[str, float]] = ()
) -> SafeString:
    """Dots with their intervals on one axis, the first row above.

    marks: dashed lines from top to bottom, each with a name above it. described: what a screen
    reader says of the picture.
    """
    left = NAMES if any(row.name for row in rows) else RIGHT
    above = LETTERS + 4 if marks else 2
    each = max(min(20.0, ROOM / max(len(rows), 1)), 0.5)
    bottom = above + each * len(rows) + 4

    def x(value: float) -> float:
        share = (min(max(value, axis.low), axis.high) - axis.low) / (axis.high - axis.low)
        return round(left + share * (WIDTH - left - RIGHT), 1)

    places = [(row, round(above + each * (n + 0.5), 1)) for n, row in enumerate(rows)]
    spans = "".join(
        f"M{x(row.low)} {y}H{x(row.high)}"
        for row, y in places
        if row.low is not None and row.high is not None
    )
    radius = round(max(min(LARGEST, each * 0.42), LEAST), 1)
    return format_html(
        '<svg class="small-picture" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<path class="axis" d="M{} {}H{}"/>{}{}<path class="{}" d="{}"/>{}{}{}</svg>',
        *(WIDTH, round(bottom + AXIS), described),
        *(left, round(bottom, 1), WIDTH - RIGHT),
        _marks(marks, x, bottom),
        _ticks(axis, x, bottom),
        "span fine" if each < FINE else "span",
        spans,
        _dots([place for place in places if not place[0].apart], x, radius, "dot"),
        _dots([place for place in places if place[0].apart], x, radius, "ring"),
        _names(places),
    )


def _dots(places: Placed, x: Across, radius: float, kind: str) -> SafeString:
    return format_html_join(
        "",
        '<circle class="{}" cx="{}" cy="{}" r="{}"/>',
        ((kind, x(row.value), y, radius) for row, y in places),
    )


def _names(places: Placed) -> SafeString:
    return format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="end">{}</text>',
        ((NAMES - 10, round(y + 4, 1), row.name) for row, y in places if row.name),
    )


def _ticks(axis: Axis, x: Across, bottom: float) -> SafeString:
    decimals = 2 if any(round(tick, 1) != tick for tick in axis.ticks) else 1
    return format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="{}">{}</text>',
        (
            (x(tick), round(bottom + 15, 1), _anchor(tick, axis), f"{tick:.{decimals}f}")
            for tick in axis.ticks
        ),
    )


def _anchor(tick: float, axis: Axis) -> str:
    """So that a text at an end stays in the picture."""
    return "end" if tick == axis.high else "middle"


def _marks(marks: Sequence[tuple[str, float]], x: Across, bottom: float) -> SafeString:
    return format_html_join(
        "",
        '<path class="mark" d="M{} {}V{}"/><text x="{}" y="{}" text-anchor="middle">{}</text>',
        (
            (x(value), LETTERS + 2, round(bottom, 1), _within(x(value), name), LETTERS - 2, name)
            for name, value in marks
        ),
    )


def _within(middle: float, name: str) -> float:
    """Where the middle of a name stands, so that none of it is cut."""
    half = len(name) * LETTERS * 0.28
    return round(min(max(middle, half), WIDTH - half), 1)


def bar(parts: Sequence[tuple[str, int]], described: str) -> SafeString:
    """A bar of several parts, each with its name and number below it."""
    whole = sum(n for _, n in parts) or 1
    room = WIDTH - 2
    edges, place = [], 1.0
    for kind, n in parts:
        width = room * n / whole
        edges.append((kind, round(place, 1), round(width, 1)))
        place += width
    return format_html(
        '<svg class="small-picture" viewBox="0 0 {} 26" role="img" aria-label="{}">{}'
        '<rect class="frame" x="1" y="3" width="{}" height="20"/></svg>',
        WIDTH,
        described,
        format_html_join(
            "",
            '<rect class="{}" x="{}" y="3" width="{}" height="20"/>',
            (edge for edge in edges if edge[2]),
        ),
        room,
    )
