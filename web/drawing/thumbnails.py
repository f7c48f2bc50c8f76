"""A chart at the width of a card, for pages of many: the same marks and axes, without names."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from web.drawing.charts import GAP, Chart, Data, Panels, Plot, Stack, svg
from web.drawing.marks import Mark, Row
from web.drawing.scales import Axis

WIDE, HIGH = 300, 190  # pixels: of all, with its axes; of a plot, at most
LEAST = 60  # pixels of a plot's width
ROOM = 140  # pixels for a name
FEW, FEW_HIGH = 4, 90  # panels in two columns, and how high these are
MANY_COLUMNS, MANY_HIGH = 4, 56
TURNS = 4
MAX_LINES = 25
WIDTH = re.compile(r'width="(\d+)"')
PLACE = re.compile(r'(?<= )(?:d|x|y|cx|cy|r|transform)="[^"]*"')
FINER = re.compile(r"(\.\d)\d+")  # than a tenth of a pixel


def thumbnail(chart: Chart, description: str, data: Data) -> str:
    """An SVG that is WIDE, or wider where names of groups leave too little for their marks.

    Of many lines without names of their own every so many are drawn.
    """
    wide, drawn = WIDE, ""
    data = {**data, **dict(_fewer_lines(_marks(chart), data))}
    for _ in range(TURNS):
        drawn = svg(_fitted(chart, wide), description, data)
        width = WIDTH.search(drawn)
        beyond = int(width[1]) - WIDE if width else 0
        if not beyond or wide == LEAST:
            break
        wide = max(wide - beyond, LEAST)
    return PLACE.sub(lambda place: FINER.sub(r"\1", place[0]), drawn)


def _fitted(chart: Chart, wide: int) -> Chart:
    """wide: pixels of what lies between the axes."""
    if isinstance(chart, Plot):
        high = min(chart.height, HIGH)
        return Plot(_plain(chart.marks), wide, high)
    if isinstance(chart, Stack):
        return Stack([_fitted(one, wide) for one in chart.charts])
    is_few = len(chart.order) <= FEW
    columns = min(len(chart.order), 2 if is_few else MANY_COLUMNS)
    each = max((wide - 2 * GAP * (columns - 1)) // columns, LEAST // columns)
    high = HIGH if len(chart.order) == 1 else FEW_HIGH if is_few else MANY_HIGH
    marks = _plain(chart.plot.marks)
    if not is_few:  # names of groups have no room
        marks = tuple(replace(mark, x=mark.x and _nameless(mark.x)) for mark in marks)
    plot = Plot(marks, each, min(chart.plot.height, high))
    return Panels(plot, chart.field, chart.order, columns, chart.apart)


def _marks(chart: Chart) -> Iterator[Mark]:
    if isinstance(chart, Stack):
        for one in chart.charts:
            yield from _marks(one)
    else:
        yield from (chart if isinstance(chart, Plot) else chart.plot).marks


def _fewer_lines(marks: Iterator[Mark], data: Data) -> Iterator[tuple[str, Sequence[Row]]]:
    for mark in marks:
        if mark.kind == "line" and mark.series:
            rows = data.get(mark.data, ())
            names = list(dict.fromkeys(row.get(mark.series) for row in rows))
            kept = set(names[:: math.ceil(len(names) / MAX_LINES) or 1])
            yield mark.data, [row for row in rows if row.get(mark.series) in kept]


def _nameless(axis: Axis) -> Axis:
    return replace(axis, is_shown=axis.is_shown and axis.kind != "names")


def _plain(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Without names, which have no room."""
    bare = (
        replace(mark, named=False, y=mark.y and replace(mark.y, room=ROOM))
        for mark in marks
        if mark.kind != "text"
    )
    return tuple(part for mark in bare for part in _with_dots(mark))


def _with_dots(mark: Mark) -> Iterator[Mark]:
    """Discs as dots, which take a tenth of the bytes; their legend has discs."""
    if mark.kind != "point":
        yield mark
    elif not mark.kinds:
        yield replace(mark, **_style(mark))
    else:
        kinds = {kind: {**own, **_style(mark.of_kind(kind))} for kind, own in mark.kinds.items()}
        yield replace(mark, kinds=kinds, legend=False)
        yield replace(mark, data="")


def _style(mark: Mark) -> dict[str, Any]:
    is_disc = mark.shape == "circle" and mark.filled
    return {"kind": "dots", "width": 2 * math.sqrt(mark.size / math.pi)} if is_disc else {}
