"""Charts: plots with their axes, alone, in panels or in a stack, and one legend above."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from web.drawing.marks import INK, Mark, Plane, Row, drawn, number, path, symbol, words
from web.drawing.scales import Axis, Scale, scale_of
from web.drawing.texts import FONT_SIZE, escape, fitted, width, wrapped

FONT = "system-ui, sans-serif"
LINE = FONT_SIZE + 3  # pixels from line to line
TICK, AWAY = 5, 8  # pixels: how long a tick is, and how far its label is from the axis
GAP = 10  # pixels between parts of a chart
EDGE = 4  # pixels around a chart
OVERHANG = 6  # pixels of a label beyond the end of its axis
BOLD = 1.12  # times as wide
SAMPLE = 24  # pixels of a line in the legend
VIEW_BOX = re.compile(r'viewBox="(-?\d+) (-?\d+) (\d+) (\d+)"')

Data = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Plot:
    marks: tuple[Mark, ...]
    width: int
    height: int


@dataclass(frozen=True)
class Panels:
    """A plot for each value of `field`, under its name; they share their axes.

    apart: each has an x axis of its own.
    """

    plot: Plot
    field: str
    order: Sequence[str]
    columns: int
    apart: bool = False


@dataclass(frozen=True)
class Stack:
    """Charts below each other, or side by side."""

    charts: Sequence["Chart"]
    across: bool = False


Chart = Plot | Panels | Stack


@dataclass
class Canvas:
    """What is drawn, and how far it reaches from the corner of its first plot."""

    parts: list[str] = field(default_factory=list)
    left: float = 0
    top: float = 0
    right: float = 0
    bottom: float = 0

    def reach(self, left: float, top: float, right: float, bottom: float) -> None:
        self.left, self.top = min(self.left, left), min(self.top, top)
        self.right, self.bottom = max(self.right, right), max(self.bottom, bottom)

    def text(
        self, x: float, y: float, text: str, anchor: str = "middle", *, bold: bool = False
    ) -> None:
        """y: of the line on which it stands."""
        wide = width(text) * (BOLD if bold else 1)
        self.place_text(x, y, wide, anchor)
        attributes = f' text-anchor="{anchor}"' if anchor != "start" else ""
        attributes += ' font-weight="600"' * bold
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}"{attributes}>{escape(text)}</text>'
        )

    def place_text(self, x: float, y: float, wide: float, anchor: str) -> None:
        left = x - {"start": 0, "middle": 0.5, "end": 1}[anchor] * wide
        self.reach(left, y - FONT_SIZE, left + wide, y + 4)

    def turned(self, x: float, y: float, text: str) -> None:
        """A text that is read from bottom to top."""
        half = width(text) / 2
        self.reach(x - FONT_SIZE, y - half, x + 4, y + half)
        at = f"{number(x)} {number(y)}"
        self.parts.append(
            f'<text transform="translate({at}) rotate(-90)" text-anchor="middle">'
            f"{escape(text)}</text>"
        )

    def lines(self, paths: Sequence[str], opacity: float = 1) -> None:
        style = f' stroke-opacity="{opacity}"' if opacity < 1 else ""
        if paths:
            self.parts.append(f'<path fill="none" stroke="{INK}"{style} d="{"".join(paths)}"/>')

    def add(self, other: "Canvas", x: float, y: float) -> None:
        inner = "".join(other.parts)
        if x or y:
            inner = f'<g transform="translate({number(x)} {number(y)})">{inner}</g>'
        self.parts.append(inner)
        self.reach(other.left + x, other.top + y, other.right + x, other.bottom + y)


def svg(chart: Chart, description: str, data: Data, *, mark: str = "") -> str:
    """The same chart is always the same text. mark: stands in the corner, as who judged."""
    canvas = _drawn(chart, data)
    _add_legend(canvas, _kinds(chart))
    if mark:
        lines, top = wrapped(mark, canvas.right - canvas.left), canvas.top + FONT_SIZE - GAP / 2
        for place, line in enumerate(lines, -len(lines)):
            canvas.text(canvas.right, top + place * LINE, line, "end")
    return _written(canvas, description)


def pictures(chart: Chart, description: str, data: Data, panel: int = 0) -> list[str]:
    """A chart for a page, without its legend: each panel is a picture with axes of its own.

    panel: how wide a panel is at least, its axis not counted.
    """
    if not isinstance(chart, Panels):
        return [_written(_drawn(chart, data), description)]
    times = max(panel / chart.plot.width, 1)
    wide, high = (round(times * size) for size in (chart.plot.width, chart.plot.height))
    chart = replace(chart, plot=replace(chart.plot, width=wide, height=high))
    shared = _plane(chart.plot, data)
    return [
        _written(_panel_alone(chart, data, shared, name), f"{name}: {description}")
        for name in chart.order
    ]


def legend(chart: Chart) -> list[tuple[str, str]]:
    """The kinds of marks of a chart, each with a picture of one."""
    samples = []
    for name, mark in _kinds(chart).items():
        canvas = Canvas(right=SAMPLE, bottom=LINE)
        canvas.parts.append(_sample(mark, 0 if mark.kind == "line" else SAMPLE / 2 - 6, LINE / 2))
        samples.append((name, _written(canvas, "")))
    return samples


def as_wide(chart: Chart, data: Data, wide: int) -> Chart:
    """A plot whose picture is at least so wide, labels of its axis included."""
    if not isinstance(chart, Plot):
        return chart
    canvas = _drawn(chart, data)
    room = wide - math.ceil(canvas.right - canvas.left) - 2 * EDGE
    return replace(chart, width=chart.width + max(room, 0))


def titled(drawing: str, title: str) -> str:
    """A drawn chart below its title, as it is saved alone."""
    opening, rest = drawing.split(">", 1)
    left, top, wide, high = map(int, VIEW_BOX.findall(opening)[0])
    lines = wrapped(title, (wide - 2 * EDGE) / BOLD)
    more = len(lines) * LINE + GAP
    canvas = Canvas()
    for place, line in enumerate(lines):
        canvas.text(
            left + EDGE, top - more + EDGE + FONT_SIZE + place * LINE, line, "start", bold=True
        )
    opening = VIEW_BOX.sub(f'viewBox="{left} {top - more} {wide} {high + more}"', opening)
    opening = opening.replace(f'height="{high}"', f'height="{high + more}"', 1)
    return f"{opening}>{''.join(canvas.parts)}{rest}"


def _written(canvas: Canvas, description: str) -> str:
    left, top = math.floor(canvas.left) - EDGE, math.floor(canvas.top) - EDGE
    wide, high = math.ceil(canvas.right) + EDGE - left, math.ceil(canvas.bottom) + EDGE - top
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="{left} {top} {wide} {high}" font-family="{FONT}" font-size="{FONT_SIZE}" '
        f'fill="{INK}" role="graphics-document" aria-label="{escape(description)}">'
        f"{''.join(canvas.parts)}</svg>"
    )


def _drawn(chart: Chart, data: Data) -> Canvas:
    if isinstance(chart, Plot):
        plane = _plane(chart, data)
        canvas = _plot(chart, data, plane)
        _add_titles(canvas, plane, chart.width, chart.height)
        return canvas
    return _panels(chart, data) if isinstance(chart, Panels) else _stack(chart, data)


def _plane(plot: Plot, data: Data) -> Plane:
    """The axes that the marks of a plot share, with room for all of them."""

    def scale(across: bool) -> Scale:
        axes = [axis for mark in plot.marks if (axis := mark.x if across else mark.y)]
        axis = axes[0] if axes else Axis(field="", is_shown=False)
        title = next((one.title for one in axes if one.title is not None), None)
        domain = next((one.domain for one in axes if one.domain is not None), None)
        values = (
            value for mark in plot.marks for value in mark.values(data.get(mark.data, ()), across)
        )
        size = plot.width if across else plot.height
        return scale_of(replace(axis, title=title, domain=domain), values, size, is_up=not across)

    return Plane(scale(True), scale(False))


def _plot(
    plot: Plot, data: Data, plane: Plane, *, below: bool = True, beside: bool = True
) -> Canvas:
    """Marks and axes; below, beside: whether they have their labels."""
    canvas = Canvas()
    canvas.reach(0, 0, plot.width, plot.height)
    inner = Canvas()
    _add_x(inner, plane.x, plot.height, below)
    _add_y(inner, plane.y, plot.width, beside)
    canvas.parts.append('<g aria-hidden="true">')
    canvas.add(inner, 0, 0)
    canvas.parts.append("</g>")
    for mark in plot.marks:
        rows = data.get(mark.data, ())
        canvas.parts.append(drawn(mark, rows, plane))
        if mark.kind == "text":
            for x, y, text in words(mark, list(enumerate(rows)), plane):
                canvas.place_text(x, y, width(text, mark.size), mark.anchor)
    return canvas


def _crisp(at: float, size: int) -> float:
    """The middle of a pixel, for a line that is one wide."""
    return min(math.floor(at + 0.5), size) + 0.5


def _add_x(canvas: Canvas, scale: Scale, height: int, labelled: bool) -> None:
    axis, bottom = scale.axis, height + 0.5
    labels = scale.labels() if axis.is_shown else []
    at_ticks = [_crisp(at, scale.size) for at, _ in labels]
    if axis.grid and axis.kind != "names":
        canvas.lines([path((at, 0), (at, height)) for at in at_ticks], 0.15)
    ticks = [path((at, bottom), (at, bottom + TICK)) for at in at_ticks if labelled]
    canvas.lines([path((0, bottom), (scale.size + 1, bottom)), *ticks])
    if not labelled:
        return
    if axis.kind != "names":
        labels = _apart([(_flush(at, text, scale.size), text) for at, text in labels])
    for at, text in labels:
        lines = _name_lines(text, scale.step) if axis.kind == "names" else [text]
        for place, line in enumerate(lines):
            canvas.text(at, height + AWAY + FONT_SIZE + place * LINE, line)


def _add_y(canvas: Canvas, scale: Scale, wide: int, labelled: bool) -> None:
    axis = scale.axis
    if not axis.is_shown:
        return
    labels = scale.labels()
    if axis.kind != "names":
        at_ticks = [_crisp(at, scale.size) for at, _ in labels]
        if axis.grid:
            canvas.lines([path((0, at), (wide, at)) for at in at_ticks], 0.15)
        ticks = [path((0.5 - TICK, at), (0.5, at)) for at in at_ticks if labelled]
        canvas.lines([path((0.5, 0), (0.5, scale.size + 0.5)), *ticks])
    if labelled:
        gap = min((abs(at - after) for (at, _), (after, _) in pairwise(labels)), default=LINE)
        for at, text in labels[:: math.ceil(FONT_SIZE / max(gap, 0.1))]:
            canvas.text(-AWAY, at + FONT_SIZE * 0.35, fitted(text, axis.room), "end")
        canvas.reach(-AWAY - axis.least_room, 0, 0, 0)


def _name_lines(text: str, room: float) -> list[str]:
    """The lines of a name below its part of the axis."""
    return [part for line in text.split("|") for part in wrapped(line, room - 2) or [""]]


def _flush(at: float, text: str, size: int) -> float:
    half = width(text) / 2 - OVERHANG
    return min(max(at, half), size - half) if 2 * half < size else size / 2


def _apart(labels: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Labels that do not run into each other: all of them, every second, every third."""
    for every in range(1, len(labels) + 1):
        kept = labels[::every]
        ends = [(at - width(text) / 2, at + width(text) / 2) for at, text in kept]
        if all(right + 6 <= left for (_, right), (left, _) in pairwise(ends)):
            return kept
    return labels[:1]


def _add_titles(canvas: Canvas, plane: Plane, wide: float, high: float) -> None:
    """wide, high: of what lies between the axes."""
    for scale, across in zip(plane, (True, False), strict=True):
        title = scale.axis.title or ()
        lines = [title] if isinstance(title, str) else title
        room = canvas.right - canvas.left if across else max(high + 2 * GAP, 160)
        lines = [part for line in lines for part in wrapped(line, room)]
        if across:
            start = canvas.bottom + FONT_SIZE + 1
            for place, line in enumerate(lines):
                half = width(line) / 2
                at = min(max(wide / 2, canvas.left + half), max(canvas.right - half, wide / 2))
                canvas.text(at, start + place * LINE, line)
        else:
            end = canvas.left - GAP - LINE * (len(lines) - 1)
            for place, line in enumerate(lines):
                canvas.turned(end + place * LINE, high / 2, line)


def _panels(chart: Panels, data: Data) -> Canvas:
    plot, canvas = chart.plot, Canvas()
    shared = _plane(plot, data)
    header = LINE + GAP / 2
    pitch = plot.height + header + GAP + (LINE if chart.apart else 0)
    for place, name in enumerate(chart.order):
        row, column = divmod(place, chart.columns)
        is_last = chart.apart or place + chart.columns >= len(chart.order)
        panel, _ = _panel(chart, data, shared, name, below=is_last, beside=column == 0)
        canvas.add(panel, column * (plot.width + 2 * GAP), row * pitch)
    rows = math.ceil(len(chart.order) / chart.columns)
    columns = min(len(chart.order), chart.columns)
    wide = columns * (plot.width + 2 * GAP) - 2 * GAP
    _add_titles(canvas, shared, wide, rows * pitch - header - GAP)
    return canvas


def _panel(
    chart: Panels, data: Data, shared: Plane, name: str, *, below: bool = True, beside: bool = True
) -> tuple[Canvas, Plane]:
    """One of them, under its name."""
    plot = chart.plot
    own = {
        key: [row for row in rows if row.get(chart.field, name) == name]
        for key, rows in data.items()
    }
    plane = Plane(_plane(plot, own).x, shared.y) if chart.apart else shared
    canvas = _plot(plot, own, plane, below=below, beside=beside)
    canvas.text(0, -GAP / 2 - 2, fitted(name, plot.width / BOLD), "start", bold=True)
    return canvas, plane


def _panel_alone(chart: Panels, data: Data, shared: Plane, name: str) -> Canvas:
    canvas, plane = _panel(chart, data, shared, name)
    _add_titles(canvas, plane, chart.plot.width, chart.plot.height)
    return canvas


def _stack(chart: Stack, data: Data) -> Canvas:
    canvas, end = Canvas(), 0.0
    for place, one in enumerate(chart.charts):
        inner = _drawn(one, data)
        start = inner.left if chart.across else inner.top
        at = end - start + GAP if place else 0.0
        canvas.add(inner, *((at, 0) if chart.across else (0, at)))
        end = at + (inner.right if chart.across else inner.bottom)
    return canvas


def _kinds(chart: Chart) -> dict[str, Mark]:
    """What the legend shows."""
    if isinstance(chart, Panels):
        return _kinds(chart.plot)
    if isinstance(chart, Stack):
        inner = [_kinds(one) for one in reversed(chart.charts)]
        return {name: mark for kinds in inner for name, mark in kinds.items()}
    kinds: dict[str, Mark] = {}
    for mark in chart.marks:
        for name in mark.kinds if mark.legend else ():
            kinds.setdefault(str(name), mark.of_kind(name))
    return kinds


def _add_legend(canvas: Canvas, kinds: Mapping[str, Mark]) -> None:
    """Names in as many columns as there is room for, above all else."""
    if not kinds:
        return
    sample = SAMPLE if any(mark.kind == "line" for mark in kinds.values()) else 12
    names = [fitted(name, canvas.right - canvas.left - sample - AWAY) for name in kinds]
    wide = max(map(width, names)) + sample + AWAY + GAP
    start = 0.0 if wide - GAP <= canvas.right else canvas.left
    columns = min(max(int((canvas.right - start + GAP) // wide), 1), len(names))
    rows = math.ceil(len(names) / columns)
    top = canvas.top - rows * (LINE + 3) - GAP
    for place, (name, mark) in enumerate(zip(names, kinds.values(), strict=True)):
        row, column = divmod(place, columns)
        x, y = start + column * wide, top + row * (LINE + 3) + LINE / 2
        canvas.parts.append(_sample(mark, x, y))
        canvas.text(x + sample + AWAY - 2, y + FONT_SIZE * 0.35, name, "start")


def _sample(mark: Mark, x: float, y: float) -> str:
    """A mark as a legend shows it: a line from x on, or a symbol."""
    if mark.kind == "line":
        element = f'<path d="{path((x, y), (x + SAMPLE, y))}"'
    else:
        element = symbol(replace(mark, size=80), x + 6, y)
    return f'<g {mark.attributes()} aria-hidden="true">{element}/></g>'
