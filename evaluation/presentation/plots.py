"""Kinds of plots that analyses share; each is drawn on data that go by name.

Drawn for a column of 440 pixels, so that letters stay legible on a phone. What differs has its own
place or shape: nothing relies on colour alone. A mark with a `name` says it under the mouse.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

from evaluation.presentation.parts import OF_PAPER
from web.drawing.charts import Panels, Plot
from web.drawing.marks import INK, MARK, Mark
from web.drawing.scales import Axis

Kinds = Mapping[str, tuple[str, str]]  # of dots, by name: shape and colour
WIDTH, HEIGHT = 400, 260
PANEL = 230  # pixels across a panel, without its axis
PANEL_HEIGHT = 190
MANY, SMALL = 8, 130  # panels, of which more are so wide where they stand together
OTHER = "#d1701f"  # beside MARK: told apart by those who do not see red or green, too
SHADE = 0.25
DASHES = (), (6, 4), (2, 3), (10, 3, 2, 3)  # of lines
COLOURS = MARK, OTHER, INK, MARK
# How the measures that a study publishes are told apart.
MEASURES: Kinds = {"nDCG": ("circle", MARK), "ERR": ("diamond", OTHER)}


def axis(field: str, title: str | None, *, log: bool = False, **ax: Any) -> Axis:
    """A quantity; ax: what else `Axis` takes."""
    return Axis(field=field, title=title, kind="log" if log else "linear", **ax)


def decades(low: float, high: float) -> dict[str, Any]:
    """A log axis from `low` to `high`, as `axis` takes it."""
    return {"log": True, "domain": (low, high)}


def whole(first: int, last: int, most: int = 6) -> dict[str, Any]:
    """An axis of whole numbers, as `axis` takes it.

    >>> whole(1, 10)["values"]
    [1, 3, 5, 7, 9]
    """
    step = max(1, -(-(last - first) // most))
    ends = (first, last) if first < last else (first - 1, last + 1)
    return {"domain": ends, "values": list(range(first, last + 1, step))}


def names(field: str, order: Sequence[Any], title: str | None = None) -> Axis:
    """Groups side by side or below each other; | divides the lines of their names."""
    return Axis(field=field, title=title, kind="names", order=order)


def mark(kind: str, data: str, **style: Any) -> Plot:
    return Plot((Mark(kind=kind, data=data, **style),), WIDTH, HEIGHT)


def layer(*plots: Plot) -> Plot:
    """One plot above the other, as large as the first."""
    return replace(plots[0], marks=tuple(mark for plot in plots for mark in plot.marks))


def sized(plot: Plot, height: int = HEIGHT, width: int = WIDTH) -> Plot:
    return replace(plot, width=width, height=height)


def points(data: str, x: Axis, y: Axis, **style: Any) -> Plot:
    """A dot for each row, which says its `name`; a circle, unless another shape is given."""
    return mark("point", data, x=x, y=y, named=True, **{"opacity": 0.7, **style})


def lined(names: Iterable[str], **more: Any) -> dict[str, Any]:
    """Lines of several kinds, told apart by dashes and colour."""
    styles = zip(names, cycle(COLOURS), cycle(DASHES), strict=False)
    return {"kinds": {name: {"colour": c, "dash": dash} for name, c, dash in styles}, **more}


def shaped(data: str, x: Axis, y: Axis, field: str, kinds: Kinds, **style: Any) -> Plot:
    """Dots of several kinds, the values of `field`."""
    styles = {name: {"shape": shape, "colour": colour} for name, (shape, colour) in kinds.items()}
    style = {"size": 44, "opacity": 0.8, **style}
    return points(data, x, y, by=field, kinds=styles, **style)


def rule_at(data: str, **axes: Axis) -> Plot:
    """Thin dashed lines at places of x or y, where something is to be compared with."""
    return mark("rule", data, colour=INK, dash=(3, 3), opacity=0.5, **axes)


def paper(x: Axis, y: Axis) -> Plot:
    """What the paper found of the same quantity: the rows OF_PAPER."""
    return points(OF_PAPER, x, y, shape="diamond", colour=INK, size=90, opacity=1, css="of-paper")


def line(data: str, x: Axis, y: Axis, **style: Any) -> Plot:
    return mark("line", data, x=x, y=y, **{"width": 2, **style})


def kinds_of_lines(
    data: str, x: Axis, y: Axis, field: str, kinds: Sequence[str], step: str = ""
) -> Plot:
    """Two or three lines, one for each value of `field`, which say their `name`."""
    return line(data, x, y, step=step, by=field, named=True, **lined(kinds))


def some_lines(data: str, x: Axis, y: Axis, names: Sequence[str], dots: str = "") -> Plot:
    """Up to four lines, one for each `of`; `dots` on them say their `name`."""
    kinds = lined(names, by="of")
    return layer(
        line(data, x, y, **kinds), points(dots or data, x, y, size=20, legend=False, **kinds)
    )


def thin_lines(data: str, x: Axis, y: Axis) -> Plot:
    """Many lines behind others, one for each `of`, which say their `name`."""
    return line(data, x, y, colour=INK, width=1, opacity=0.2, series="of", named=True)


def band(data: str, x: Axis, low: Axis, high: str, **style: Any) -> Plot:
    """A shade from `low` to `high` (a field)."""
    return mark("area", data, x=x, y=low, y2=high, **{"opacity": SHADE, **style})


def bands(data: str, x: Axis, title: str | None, domain: tuple[float, float]) -> Plot:
    """Quantiles along x: rows `lowest`, `lower`, `median`, `upper`, `highest`, and a `name`."""
    lowest, lower, median = (
        axis(field, title, domain=domain) for field in ("lowest", "lower", "median")
    )
    return layer(
        band(data, x, lowest, "highest"),
        band(data, x, lower, "upper"),
        line(data, x, median),
        points(data, x, median, size=24, opacity=1),
    )


def bars(data: str, quantity: str, counted: str, n: str = "n", **ax: Any) -> Plot:
    """A histogram of rows `from`, `to` and `n`, or whatever field `n` names, of a quantity.

    ax: as `axis` takes it, `log` too.
    """
    x, y = axis("from", quantity, **ax), axis(n, counted, whole=True)
    bins = mark("rect", data, x=x, x2="to", y=y, named=True)
    return sized(bins, 180)


def intervals(data: str, title: str, groups: Mapping[str, Axis], **ax: Any) -> Plot:
    """Dots with their 95% intervals: rows `mean`, `low`, `high`, and a `name`.

    groups: the axis of their names, as `x` or `y`. ax: as `axis` takes it, `decades` for instance.
    A row whose ends are NaN is drawn as a dot alone; what an axis with a domain has no room for is
    cut at its ends.
    """
    along = "y" if "x" in groups else "x"
    ends: dict[str, Any] = {along: axis("low", title, **ax), f"{along}2": "high"}
    dots: dict[str, Any] = {along: axis("mean", title, **ax)}
    return layer(
        mark("rule", data, opacity=0.85, width=2, named=True, **groups, **ends),
        mark("point", data, size=60, named=True, **groups, **dots),
    )


def intervals_of_kinds(
    data: str, value: str, title: str, groups: Axis, field: str, kinds: Kinds, **ax: Any
) -> Plot:
    """Dots as `shaped` draws them, groups and kinds below each other, from `low` to `high` a line.

    value: the field of where a dot is; ax: as `axis` takes it. A row whose ends are NaN is a dot
    alone.
    """
    dots = shaped(data, axis(value, title, **ax), groups, field, kinds, apart=True)
    plain: dict[str, Any] = {"by": field, "kinds": {kind: {} for kind in kinds}, "legend": False}
    ends = {"x": axis("low", title, **ax), "x2": "high", "y": groups}
    lines = mark("rule", data, colour=INK, opacity=0.5, apart=True, named=True, **plain, **ends)
    return layer(lines, dots)


def boxes(
    data: str, x: Axis, title: str | None, *, size: int = 26, means: bool = False, **ax: Any
) -> Plot:
    """Boxes as the paper draws them: median, quartiles, whiskers to 1.5 times their distance.

    Rows are as the module `boxes` makes them, of two kinds: boxes have `low`, `q1`, `median`, `q3`,
    `high` and perhaps `mean`, and outliers `value`; both have a `name`. ax: as `axis` takes it.
    """

    def at(field: str) -> dict[str, Axis]:
        return {"x": x, "y": axis(field, title, **ax)}

    layers = [
        mark("rule", data, y2="high", **at("low")),
        *(mark("tick", data, size=size / 2, **at(end)) for end in ("low", "high")),
        # An edge, as the shade alone is hardly seen on a dark ground.
        mark("rect", data, y2="q3", size=size, edge=True, opacity=SHADE, named=True, **at("q1")),
        mark("tick", data, width=3, size=size, **at("median")),
        points(data, **at("value"), size=10, opacity=0.5),
    ]
    if means:
        layers.append(points(data, **at("mean"), shape="diamond", colour=OTHER, size=50))
    return layer(*layers)


def panels(
    plot: Plot,
    field: str,
    order: Sequence[str],
    columns: int = 2,
    *,
    height: int = PANEL_HEIGHT,
    apart: bool = False,
) -> Panels:
    """Panels in rows, one for each value of `field`, each under its name; a single one is wide.

    apart: each has an x axis of its own.
    """
    if len(order) > MANY:
        return Panels(sized(plot, round(height * SMALL / PANEL), SMALL), field, order, 4, apart)
    columns = min(columns, max(len(order), 1), 2)
    return Panels(
        sized(plot, height, PANEL if columns > 1 else WIDTH), field, order, columns, apart
    )
