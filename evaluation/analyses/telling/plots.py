"""Kinds of plots that analyses share; each is declared on data that go by name.

Drawn for a column of 440 pixels, so that letters stay legible on a phone. What differs has its own
place or shape: nothing relies on colour alone. A mark with a `name` says it under the mouse.
"""

from __future__ import annotations  # which would load `alt`

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from web.charts import FONT_SIZE, INK, MARK
from web.lazy import altair as alt

Kinds = Mapping[str, tuple[str, str]]  # of dots, by name: shape and colour
WIDTH, HEIGHT = 400, 260
PANEL = 160  # pixels of a side of a panel, at the least
OTHER = "#d1701f"  # beside MARK: told apart by those who do not see red or green, too
SHADE = 0.25
DASHES = [1, 0], [6, 4], [2, 3], [10, 3, 2, 3]  # of lines
COLOURS = MARK, OTHER, INK, MARK
# How the measures that a study publishes are told apart.
MEASURES: Kinds = {"nDCG": ("circle", MARK), "ERR": ("diamond", OTHER)}


def _scale(log: bool, domain: Sequence[Any] | None) -> alt.Scale:
    settings: dict[str, Any] = {"type": "log"} if log else {"zero": False}
    if domain is not None:
        settings["domain"] = list(domain)
    return alt.Scale(nice=domain is None, **settings)


def x(field: str, title: str | None, *, log: bool = False, domain: Any = None, **ax: Any) -> alt.X:
    """A quantity from left to right; ax: what else Altair's axis takes."""
    axis = alt.Axis(title=title, **{"tickCount": 5, "labelOverlap": True, **ax})
    return alt.X(f"{field}:Q", scale=_scale(log, domain), axis=axis)


def y(field: str, title: str | None, *, log: bool = False, domain: Any = None, **ax: Any) -> alt.Y:
    """A quantity from bottom to top; ax: what else Altair's axis takes."""
    axis = alt.Axis(title=title, **{"tickCount": 5, **ax})
    return alt.Y(f"{field}:Q", scale=_scale(log, domain), axis=axis)


def decades(low: float, high: float, most: int = 5) -> dict[str, Any]:
    """A log axis from `low` to `high`, as `x` and `y` take it: few lines, at round numbers.

    >>> decades(0.02, 80)["values"], decades(2, 3)["values"], decades(0.0009, 37)["values"]
    ([0.1, 1.0, 10.0], [2.0, 3.0], [0.001, 0.01, 0.1, 1.0, 10.0])
    >>> decades(4e-5, 20)["format"]  # 0.001, where people do not read 1e-3
    ',~r'
    """
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    step = max(1, math.ceil((last - first) / most))
    factors = (1,) if high / low > 500 else (1, 2, 5) if high / low > 4 else range(1, 10)
    # Counted from the last: where powers are left out, the first may lie before the axis anyway.
    values = [10.0**power * by for power in range(last, first - 1, -step) for by in factors]
    values = sorted(values)
    values = [value for value in values if low <= value <= high]
    return {
        "log": True,
        "domain": (low, high),
        # Vega leaves out every other value where there are more than it would have chosen.
        **({"values": values, "tickCount": len(values)} if len(values) > 1 else {}),
        "labelOverlap": True,
        "format": ",~r" if low > 1e-6 and high < 1e8 else ".0e",
    }


def whole(first: int, last: int, most: int = 6) -> dict[str, Any]:
    """An axis of whole numbers, as `x` and `y` take it.

    >>> whole(1, 10)["values"]
    [1, 3, 5, 7, 9]
    """
    step = max(1, math.ceil((last - first) / most))
    ends = (first, last) if first < last else (first - 1, last + 1)
    return {"domain": ends, "values": list(range(first, last + 1, step)), "format": "d"}


def category(field: str, order: Sequence[str], title: str | None = None) -> alt.X:
    """Groups side by side, in the order given; | divides the lines of their names."""
    lines = alt.Axis(labelAngle=0, grid=False, labelExpr="split(datum.label, '|')")
    return alt.X(f"{field}:N", sort=list(order), title=title, axis=lines)


def down(field: str, order: Sequence[str], title: str | None = None) -> alt.Y:
    """Groups from top to bottom, in the order given."""
    return alt.Y(
        f"{field}:N",
        sort=list(order),
        title=title,
        axis=alt.Axis(grid=False, ticks=False, domain=False, labelLimit=160),
    )


@cache
def _named(data: str) -> alt.NamedData:
    """Rows by name; one and the same, so that panels may divide them."""
    return alt.NamedData(data)


def on(data: str) -> alt.Chart:
    return alt.Chart(_named(data))


def sized(chart: Any, height: int = HEIGHT, width: int = WIDTH) -> Any:
    return chart.properties(width=width, height=height)


def points(data: str, across: alt.X, up: alt.Y, **mark: Any) -> alt.Chart:
    """A dot for each row, which says its `name`; a circle, unless another shape is given."""
    style = {"color": MARK, "size": 36, "opacity": 0.7, "shape": "circle", "filled": True, **mark}
    return on(data).mark_point(**style).encode(x=across, y=up, description="name:N")


def many_dots(data: str, across: alt.X, up: alt.Y, **mark: Any) -> alt.Chart:
    """Thousands of dots in one path, a few bytes each; they have no names.

    A line with a gap after each point, whose round ends are the dots: `parts.gapped` makes them.
    """
    style = {"color": MARK, "strokeWidth": 3.5, "strokeCap": "round", "opacity": 0.65, **mark}
    line = on(data).mark_line(aria=False, invalid="break-paths-show-path-domains", **style)
    return line.encode(x=across, y=up, order=alt.Order("order:Q"))


def _colour(field: str, names: Sequence[str], colours: Sequence[str], **legend: Any) -> alt.Color:
    """A colour for each name of a field, and the names above the plot."""
    above = alt.Legend(
        title=None,
        orient="top",
        labelColor=INK,
        labelFontSize=FONT_SIZE,
        labelLimit=300,
        columnPadding=40,  # a reader's font may be wider
        **legend,
    )
    return alt.Color(f"{field}:N", scale=named_scale(names, colours), legend=above)


def named_scale(names: Iterable[str], values: Sequence[Any]) -> alt.Scale:
    """Each name has the value at its place."""
    domain = list(names)
    return alt.Scale(domain=domain, range=list(values[: len(domain)]))


def _dash(field: str, names: Sequence[str]) -> alt.StrokeDash:
    return alt.StrokeDash(f"{field}:N", scale=named_scale(names, DASHES))


def shaped(
    data: str, across: alt.X, up: alt.Y, field: str, kinds: Kinds, columns: int | None = None
) -> alt.Chart:
    """Dots of several kinds, the values of `field`; columns: of their names above the plot."""
    shapes, colours = zip(*kinds.values(), strict=True)
    legend = {"columns": columns} if columns else {}
    dots = on(data).mark_point(filled=True, size=44, opacity=0.8)
    return dots.encode(
        x=across,
        y=up,
        description="name:N",
        color=_colour(field, list(kinds), colours, **legend),
        shape=alt.Shape(f"{field}:N", scale=named_scale(kinds, shapes)),
    )


def rule_at(data: str, *, along: alt.X | alt.Y, **mark: Any) -> alt.Chart:
    """Thin dashed lines where something is to be compared with."""
    style = {"color": INK, "strokeDash": [3, 3], "opacity": 0.5, "aria": False, **mark}
    channel = {"x": along} if isinstance(along, alt.X) else {"y": along}
    return on(data).mark_rule(**style).encode(**channel)


def line(data: str, across: alt.X, up: alt.Y, **mark: Any) -> alt.Chart:
    style = {"color": MARK, "strokeWidth": 2, "aria": False, **mark}
    return on(data).mark_line(**style).encode(x=across, y=up)


def kinds_of_lines(
    data: str, across: alt.X, up: alt.Y, field: str, kinds: Sequence[str], step: Any = "linear"
) -> alt.Chart:
    """Two or three lines, one for each value of `field`, told apart by dashes and colour."""
    lines = on(data).mark_line(strokeWidth=2, aria=False, interpolate=step)
    colour = _colour(field, kinds, COLOURS)
    return lines.encode(x=across, y=up, color=colour, strokeDash=_dash(field, kinds))


def some_lines(data: str, across: alt.X, up: alt.Y, names: Sequence[str], dots: str = "") -> Any:
    """Up to four lines, one for each `of`, their names in rows; `dots` on them say their `name`.

    They are told apart by dashes and colour.
    """
    legend = {"columns": 1, "symbolType": "stroke", "symbolSize": 600}
    colour = _colour("of", names, COLOURS, **legend)
    return alt.layer(
        line(data, across, up).encode(color=colour, strokeDash=_dash("of", names)),
        points(dots or data, across, up, size=20).encode(color=colour),
    )


def thin_lines(data: str, across: alt.X, up: alt.Y) -> alt.Chart:
    """Many lines behind others, one for each `of`, which say their `name`."""
    lines = on(data).mark_line(color=INK, strokeWidth=1, opacity=0.2)
    return lines.encode(x=across, y=up, detail="of:N", description="name:N")


def band(data: str, across: alt.X, low: alt.Y, high: str) -> alt.Chart:
    """A shade from `low` to `high` (a field)."""
    shade = on(data).mark_area(color=MARK, opacity=SHADE, aria=False)
    return shade.encode(x=across, y=low, y2=f"{high}:Q")


def bands(data: str, across: alt.X, title: str | None, domain: Sequence[float]) -> Any:
    """Quantiles along x: rows `lowest`, `lower`, `median`, `upper`, `highest`, and a `name`."""
    base = on(data).encode(x=across)
    shades = base.mark_area(color=MARK, opacity=SHADE, aria=False)
    middle = base.encode(y="median:Q")
    return alt.layer(
        shades.encode(y=y("lowest", title, domain=domain), y2="highest:Q"),
        shades.encode(y="lower:Q", y2="upper:Q"),
        middle.mark_line(color=MARK, strokeWidth=2, aria=False),
        middle.mark_circle(color=MARK, size=24, opacity=1).encode(description="name:N"),
    )


def bars(data: str, quantity: str, counted: str, **ax: Any) -> Any:
    """A histogram of rows `from`, `to`, `n`: of a quantity; ax: as `x` takes it, `log` too."""
    across, up = x("from", quantity, **ax), y("n", counted)
    bins = on(data).mark_rect(color=MARK, aria=False, stroke="white", strokeWidth=0.5)
    return sized(bins.encode(x=across, x2="to:Q", y=up, y2=alt.datum(0)), 180)


def intervals(data: str, groups: alt.X | alt.Y, title: str, **ax: Any) -> Any:
    """Dots with their 95% intervals: rows `mean`, `low`, `high`, and a `name`.

    Side by side, if their groups lie on the x axis, or else one below the other. ax: as `x` and
    `y` take it, `decades` for instance. A row whose ends are NaN is drawn as a dot alone; what an
    axis with a domain has no room for is cut at its ends.
    """
    dots: dict[str, Any]
    spans: dict[str, Any]
    if isinstance(groups, alt.X):
        spans = {"x": groups, "y": y("low", title, **ax), "y2": "high:Q"}
        dots = {"x": groups, "y": y("mean", title, **ax)}
    else:
        spans = {"y": groups, "x": x("low", title, **ax), "x2": "high:Q"}
        dots = {"y": groups, "x": x("mean", title, **ax)}
    known = on(data).transform_filter("isValid(datum.low) && isValid(datum.high)")
    rules = known.mark_rule(color=MARK, opacity=0.85, strokeWidth=2, aria=False, clip=True)
    circles = on(data).mark_circle(color=MARK, size=60, opacity=1)
    return alt.layer(rules.encode(**spans), circles.encode(description="name:N", **dots))


def intervals_of_kinds(
    data: str,
    value: str,
    title: str,
    groups: alt.Y,
    field: str,
    kinds: Kinds,
    columns: int | None = None,
    **ax: Any,
) -> Any:
    """Dots as `shaped` draws them, groups and kinds below each other, from `low` to `high` a line.

    value: the field of where a dot is; ax: as `x` takes it. A row whose ends are NaN is a dot
    alone.
    """
    apart = alt.YOffset(f"{field}:N", sort=list(kinds))
    known = on(data).transform_filter("isValid(datum.low) && isValid(datum.high)")
    spans = known.mark_rule(color=INK, opacity=0.5, aria=False, clip=True)
    dots = shaped(data, x(value, title, **ax), groups, field, kinds, columns)
    return alt.layer(
        spans.encode(x=x("low", title, **ax), x2="high:Q", y=groups, yOffset=apart),
        dots.encode(yOffset=apart),
    )


def boxes(
    data: str, across: alt.X, title: str | None, *, size: int = 26, means: bool = False, **ax: Any
) -> Any:
    """Boxes as the paper draws them: median, quartiles, whiskers to 1.5 times their distance.

    Rows are as `telling.boxes` makes them, of two kinds: boxes have `low`, `q1`, `median`, `q3`,
    `high` and perhaps `mean`, and outliers `value`; both have a `name`. ax: as `y` takes it.
    """

    def having(field: str) -> alt.Chart:
        return on(data).transform_filter(f"isValid(datum.{field})").encode(x=across)

    box, name = having("median"), "name:N"
    whiskers = box.mark_rule(color=MARK, aria=False)
    # An edge, as the shade alone is hardly seen on a dark ground.
    filled: dict[str, Any] = {"fillOpacity": SHADE, "opacity": 1, "stroke": MARK, "strokeWidth": 1}
    quartiles = box.mark_bar(color=MARK, size=size, aria=False, **filled)
    medians = box.mark_tick(color=MARK, thickness=3, size=size, opacity=1)
    outliers = having("value").mark_circle(color=MARK, size=10, opacity=0.5)
    layers = [
        whiskers.encode(y=y("low", title, **ax), y2="high:Q"),
        quartiles.encode(y="q1:Q", y2="q3:Q"),
        medians.encode(y="median:Q", description=name),
        outliers.encode(y="value:Q", description=name),
    ]
    if means:
        diamonds = having("mean").mark_point(shape="diamond", filled=True, color=OTHER, size=50)
        layers.append(diamonds.encode(y="mean:Q", description=name))
    return alt.layer(*layers)


def panels(
    chart: Any, field: str, order: Sequence[str], columns: int = 2, *, height: int = PANEL
) -> Any:
    """Panels in rows, one for each value of `field`, each under its name; a single one is wide."""
    columns = min(columns, max(len(order), 1), WIDTH // PANEL)
    width = (WIDTH - 10 * (columns - 1)) // columns - 24
    header = alt.Header(
        title=None, labelColor=INK, labelFontSize=FONT_SIZE, labelFontWeight=600, labelPadding=2
    )
    return sized(chart, height, width).facet(
        facet=alt.Facet(f"{field}:N", sort=list(order), header=header), columns=columns, spacing=10
    )
