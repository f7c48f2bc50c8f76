"""Marks: rows of data as elements of SVG."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from web.drawing.scales import BAND, Axis, Scale
from web.drawing.texts import escape

# Lines and text take the colour of the surrounding text, in light and dark.
INK = "currentColor"
MARK = "#2f7fc4"

# What a mark is of, where its row says so: fields of rows, and what they are called in SVG.
THINGS = {
    "system": "system",
    "topic": "topic",
    "query_id": "topic",
    "doc_id": "document",
    "worker": "worker",
}

Row = Mapping[str, Any]
Point = tuple[float, float]
_CROSS = ((-1, -0.4), (-0.4, -0.4), (-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4))
SHAPES: dict[str, tuple[Point, ...]] = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    "triangle-up": ((0, -1), (1.1, 0.9), (-1.1, 0.9)),
    "triangle-down": ((0, 1), (1.1, -0.9), (-1.1, -0.9)),
    "cross": (*_CROSS, *((-x, -y) for x, y in _CROSS)),
}


@dataclass(frozen=True, kw_only=True)
class Mark:
    """How the rows of `data` are drawn; fields that end in 2 are of another end.

    kind: point, dots (many, without names, in one path), line, area, rule (straight, over the
    whole plot where it has no other end), rect (from zero, where it has none), tick or text.
    """

    kind: str
    data: str
    x: Axis | None = None
    y: Axis | None = None
    x2: str = ""
    y2: str = ""
    text: str = ""  # the field of a text
    where: str = ""  # rows without this field are not drawn
    named: bool = False  # each says its row's `name` under the mouse and to screen readers
    by: str = ""  # the field of `kinds`: what differs, by its value
    kinds: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)
    legend: bool = True  # kinds are shown above the plot
    apart: bool = False  # kinds lie below each other in the room of a name
    series: str = ""  # a line for each value of this field
    colour: str = MARK
    opacity: float = 1
    size: float = 36  # the area of a point; the length of a tick, and of a rect without ends
    width: float = 1
    dash: Sequence[int] = ()
    shape: str = "circle"
    filled: bool = True
    edge: bool = False  # of a rect
    css: str = ""  # its class, for pages; a file has no style
    step: str = ""  # of a line: before or after
    anchor: str = "middle"  # of a text
    dx: float = 0
    dy: float = 0

    def values(self, rows: Sequence[Row], across: bool) -> Iterator[Any]:
        """All that the axis is to have room for."""
        axis, second = (self.x, self.x2) if across else (self.y, self.y2)
        if axis is None:
            return
        for name in filter(None, (axis.field, second)):
            yield from (row.get(name) for row in rows)
        other = self.x2 if across else self.y2
        if self.kind == "rect" and not other:
            yield 0

    def of_kind(self, kind: Any) -> "Mark":
        return replace(self, **self.kinds[kind]) if self.kinds else self

    def attributes(self) -> str:
        """What all elements share."""
        is_text, is_line = self.kind == "text", self.kind in ("dots", "line", "rule", "tick")
        style = {
            "class": self.css,
            "fill": self.colour if self.filled and not is_line else "none",
            "fill-opacity": "" if is_line else number(self.opacity),
            "stroke": self.colour if is_line or self.edge or not self.filled else "",
            "stroke-opacity": number(self.opacity) if is_line else "",
            "stroke-width": number(self.width),
            "stroke-dasharray": " ".join(map(str, self.dash)),
            "stroke-linecap": "round" if self.kind == "dots" else "",
            "font-size": number(self.size) if is_text else "",
            "text-anchor": self.anchor if is_text else "",
        }
        return " ".join(
            f'{name}="{value}"' for name, value in style.items() if value not in ("", "1")
        )


def number(value: float) -> str:
    """To a hundredth of a pixel."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def path(*points: Point, close: bool = False) -> str:
    """Straight lines from point to point.

    >>> path((1, 2.5), (3, 4))
    'M1 2.5 3 4'
    """
    return "M" + " ".join(f"{number(x)} {number(y)}" for x, y in points) + "Z" * close


def symbol(mark: Mark, x: float, y: float) -> str:
    """The element of a point, still open, to a tenth of a pixel: there are many."""
    x, y = round(x, 1), round(y, 1)
    if mark.shape == "circle":
        radius = math.sqrt(mark.size / math.pi)
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
    half = math.sqrt(mark.size) / 2
    corners = (
        (round(x + across * half, 1), round(y + down * half, 1))
        for across, down in SHAPES[mark.shape]
    )
    return f'<path d="{path(*corners, close=True)}"'


class Plane(NamedTuple):
    """Both scales of a plot."""

    x: Scale
    y: Scale

    def at(self, mark: Mark, row: Row, shift: float = 0) -> Point | None:
        x = self.x.at(row.get(mark.x.field)) if mark.x else 0.0
        y = self.y.at(row.get(mark.y.field)) if mark.y else 0.0
        return None if x is None or y is None else (x, y + shift)

    def span(self, mark: Mark, row: Row, across: bool) -> tuple[float, float] | None:
        """From where to where a rule or rect goes; nothing, if that is not known or outside."""
        scale, axis, second = (self.x, mark.x, mark.x2) if across else (self.y, mark.y, mark.y2)
        if axis is None:
            return 0.0, float(scale.size)
        first = scale.at(row.get(axis.field))
        if first is None:
            return None
        if axis.kind == "names":
            half = min(mark.size, scale.step * BAND) / 2 if mark.kind in ("rect", "tick") else 0
            return first - half, first + half
        if second or mark.kind == "rect":
            other = scale.at(row.get(second) if second else 0)
            if other is None and second:
                return None
            if other is None:  # there is no zero on a logarithmic scale
                other = float(scale.size if scale.is_up else 0)
            low, high = sorted((first, other))
            if high < 0 or low > scale.size:
                return None
            return max(low, 0.0), min(high, float(scale.size))
        return (first, first) if scale.holds(first) else None


def drawn(mark: Mark, rows: Sequence[Row], plane: Plane) -> str:
    """All rows, a group of elements for each kind."""
    groups = []
    places = list(mark.kinds) or [None]
    for place, kind in enumerate(places):
        part = mark.of_kind(kind)
        shift = plane.y.step * BAND * ((place + 0.5) / len(places) - 0.5) if mark.apart else 0.0
        chosen = [
            (key, row)
            for key, row in enumerate(rows)
            if (not mark.kinds or row.get(mark.by) == kind)
            and (not mark.where or row.get(mark.where) is not None)
        ]
        if elements := "".join(DRAW[part.kind](part, chosen, plane, shift)):
            hidden = "" if mark.named else ' aria-hidden="true"'
            of_kind = f' data-kind="{escape(kind)}"' if mark.kinds else ""
            groups.append(f"<g {part.attributes()}{of_kind}{hidden}>{elements}</g>")
    return "".join(groups)


Rows = Sequence[tuple[int, Row]]
Draw = Callable[[Mark, Rows, Plane, float], Iterator[str]]


def _whole(mark: Mark, open_element: str, key: int, row: Row) -> str:
    """An element with its name, and what it is of."""
    if not mark.named or row.get("name") is None:
        return f"{open_element}/>"
    tag = open_element[1:].split(" ", 1)[0]
    name = f"<title>{escape(row['name'])}</title>"
    things = "".join(
        f' data-{thing}="{escape(row[field])}"'
        for field, thing in THINGS.items()
        if row.get(field) is not None
    )
    return f'{open_element} data-key="{key}"{things} role="graphics-symbol">{name}</{tag}>'


def _inside(
    mark: Mark, rows: Rows, plane: Plane, shift: float
) -> Iterator[tuple[int, Row, float, float]]:
    for key, row in rows:
        at = plane.at(mark, row, shift)
        if at and plane.x.holds(at[0]) and plane.y.holds(at[1]):
            yield key, row, *at


def _points(mark: Mark, rows: Rows, plane: Plane, shift: float) -> Iterator[str]:
    for key, row, x, y in _inside(mark, rows, plane, shift):
        yield _whole(mark, symbol(mark, x, y), key, row)


def _dots(mark: Mark, rows: Rows, plane: Plane, shift: float) -> Iterator[str]:
    """A path whose round ends are the dots: a few bytes each."""
    dots = [f"{path((x, y))}h0" for _, _, x, y in _inside(mark, rows, plane, shift)]
    if dots:
        yield f'<path d="{"".join(dots)}"/>'


def words(mark: Mark, rows: Rows, plane: Plane) -> Iterator[tuple[float, float, str]]:
    """Where the texts of a mark are."""
    for _, row, x, y in _inside(mark, rows, plane, 0):
        if row.get(mark.text) is not None:
            yield x + mark.dx, y + mark.dy + mark.size * 0.35, str(row[mark.text])


def _texts(mark: Mark, rows: Rows, plane: Plane, shift: float) -> Iterator[str]:
    for x, y, text in words(mark, rows, plane):
        yield f'<text x="{number(x)}" y="{number(y)}">{escape(text)}</text>'


def _rules(mark: Mark, rows: Rows, plane: Plane, shift: float) -> Iterator[str]:
    for key, row in rows:
        across, up = (plane.span(mark, row, is_across) for is_across in (True, False))
        if across and up:
            rule = path((across[0], up[0] + shift), (across[1], up[1] + shift))
            yield _whole(mark, f'<path d="{rule}"', key, row)


def _rects(mark: Mark, rows: Rows, plane: Plane, shift: float) -> Iterator[str]:
    """On whole pixels, with a gap beside a bin."""
    gap, half = (0, 0.5) if mark.edge else (1, 0)
    for key, row in rows:
        across, up = (plane.span(mark, row, is_across) for is_across in (True, False))
        if not across or not up:
            continue
        (left, right), (top, bottom) = (map(round, ends) for ends in (across, up))
        wide, high = right - left - (gap if mark.x2 and right - left > 3 else 0), bottom - top
        if mark.edge or (wide and high):
            rect = f'<rect x="{left + half:g}" y="{top + half:g}" width="{wide}" height="{high}"'
            yield _whole(mark, rect, key, row)


def _series(mark: Mark, rows: Rows, plane: Plane) -> Iterator[tuple[int, Row, list[Row]]]:
    """The rows of each line, from left to right."""
    of = mark.series
    ordered = sorted(rows, key=lambda one: str(one[1].get(of))) if of else rows
    for _, group in groupby(ordered, key=lambda one: one[1].get(of)):
        line = list(group)
        known = [row for _, row in line if plane.at(mark, row)]
        yield *line[0], sorted(known, key=lambda row: (plane.at(mark, row) or (0,))[0])


def _lines(mark: Mark, rows: Rows, plane: Plane, shift: float) -> Iterator[str]:
    for key, row, line in _series(mark, rows, plane):
        points = [at for row in line if (at := plane.at(mark, row))]
        if mark.step:
            points = list(_stepped(points, mark.step == "before"))
        if parts := "".join(path(*part) for part in _clipped(points, plane)):
            yield _whole(mark, f'<path d="{parts}"', key, row)


def _stepped(points: Sequence[Point], before: bool) -> Iterator[Point]:
    yield from points[:1]
    for (x, y), (next_x, next_y) in pairwise(points):
        yield (x, next_y) if before else (next_x, y)
        yield next_x, next_y


def _clipped(points: Sequence[Point], plane: Plane) -> Iterator[list[Point]]:
    """The parts of a line that lie in the plot."""
    part: list[Point] = []
    for start, end in pairwise(points):
        ends = _cut(start, end, plane)
        if part and (ends is None or ends[0] != part[-1]):
            yield part
            part = []
        if ends:
            part = [*(part or ends[:1]), ends[1]]
    if part:
        yield part


def _cut(start: Point, end: Point, plane: Plane) -> list[Point] | None:
    """The part of a straight line that lies in the plot."""
    enter, leave = 0.0, 1.0
    sizes = plane.x.size, plane.y.size
    for first, last, size in zip(start, end, sizes, strict=True):
        if first == last:
            if not -0.01 <= first <= size + 0.01:
                return None
            continue
        ends = sorted((edge - first) / (last - first) for edge in (-0.01, size + 0.01))
        enter, leave = max(enter, ends[0]), min(leave, ends[1])
    if enter > leave:
        return None

    def at(share: float) -> Point:
        x, y = (
            min(max((1 - share) * first + share * last, 0.0), size)
            for first, last, size in zip(start, end, sizes, strict=True)
        )
        return x, y

    return [at(enter), at(leave)]


def _areas(mark: Mark, rows: Rows, plane: Plane, shift: float) -> Iterator[str]:
    for key, row, line in _series(mark, rows, plane):
        spans = [(plane.at(mark, row), plane.span(mark, row, False)) for row in line]
        ends = [(at[0], *span) for at, span in spans if at and span and plane.x.holds(at[0])]
        outline = [(x, top) for x, top, _ in ends] + [(x, low) for x, _, low in reversed(ends)]
        if outline:
            yield _whole(mark, f'<path d="{path(*outline, close=True)}"', key, row)


DRAW: dict[str, Draw] = {
    "point": _points,
    "dots": _dots,
    "tick": _rules,
    "text": _texts,
    "rule": _rules,
    "rect": _rects,
    "line": _lines,
    "area": _areas,
}
