"""Kinds of plots that analyses share; each is declared on data that go by name.

Drawn for a column of 440 pixels, so that letters stay legible on a phone. What differs has its own
place or shape: nothing relies on colour alone. A mark with a `name` says it under the mouse.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt

from web.charts import INK, LETTERS, MARK

WIDTH, HEIGHT = 400, 260
OTHER = "#d1701f"  # beside MARK: told apart by those who do not see red or green, too
SHADE = 0.25
# How the measures that a study publishes are told apart.
MEASURES = {"nDCG": ("circle", MARK), "ERR": ("diamond", OTHER)}


def axis(title: str | None, **given: Any) -> alt.Axis:
    return alt.Axis(title=title, **given)


def scale(log: bool = False, domain: Sequence[Any] | None = None, zero: bool = False) -> alt.Scale:
    given: dict[str, Any] = {"nice": domain is None, "zero": zero}
    if log:
        given = {"type": "log", "nice": domain is None}
    if domain is not None:
        given["domain"] = list(domain)
    return alt.Scale(**given)


def x(field: str, title: str | None, *, log: bool = False, domain: Any = None, **of: Any) -> alt.X:
    """A quantity from left to right."""
    ticks = {"tickCount": 5, "labelOverlap": True, **of}
    return alt.X(f"{field}:Q", scale=scale(log, domain), axis=axis(title, **ticks))


def y(field: str, title: str | None, *, log: bool = False, domain: Any = None, **of: Any) -> alt.Y:
    """A quantity from bottom to top."""
    return alt.Y(f"{field}:Q", scale=scale(log, domain), axis=axis(title, tickCount=5, **of))


def decades(low: float, high: float, most: int = 5) -> dict[str, Any]:
    """A log axis from `low` to `high`, as `x` and `y` take it: few lines, at round numbers.

    >>> decades(0.02, 80)["values"], decades(2, 3)["values"]
    ([0.1, 1.0, 10.0], [2.0, 3.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    step = max(1, math.ceil((last - first) / most))
    factors = (1,) if high / low > 500 else (1, 2, 5) if high / low > 4 else range(1, 10)
    values = [10.0**power * by for power in range(first, last + 1, step) for by in factors]
    values = [value for value in values if low <= value <= high]
    return {
        "log": True,
        "domain": (low, high),
        **({"values": values} if len(values) > 1 else {}),
        "labelOverlap": True,
        "format": "~g" if low > 1e-4 and high < 1e6 else ".0e",
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


def points(data: str, x_of: alt.X, y_of: alt.Y, **mark: Any) -> alt.Chart:
    """A dot for each row, which says its `name`; a circle, unless another shape is given."""
    style = {"color": MARK, "size": 36, "opacity": 0.7, "shape": "circle", "filled": True, **mark}
    return on(data).mark_point(**style).encode(x=x_of, y=y_of, description="name:N")


def marked(data: str, x_of: alt.X, y_of: alt.Y, field: str, yes: str, no: str) -> alt.Chart:
    """Dots of two kinds, told apart by shape and colour: rows whose `field` is `yes` or `no`."""
    kinds = {yes: ("diamond", OTHER), no: ("circle", MARK)}
    return shaped(data, x_of, y_of, field, kinds)


def legend() -> alt.Legend:
    """Names of kinds, above the plot."""
    return alt.Legend(
        title=None,
        orient="top",
        labelColor=INK,
        labelFontSize=LETTERS,
        labelLimit=300,
        columnPadding=40,  # a reader's font may be wider
    )


def shaped(
    data: str,
    x_of: alt.X,
    y_of: alt.Y,
    field: str,
    kinds: Mapping[str, tuple[str, str]],
    columns: int | None = None,
) -> alt.Chart:
    """Dots of several kinds: of each value of `field`, its shape and colour."""
    shapes, colours = zip(*kinds.values(), strict=True)
    above = legend()
    if columns:
        above.columns = columns
    names = list(kinds)
    return (
        on(data)
        .mark_point(filled=True, size=44, opacity=0.8)
        .encode(
            x=x_of,
            y=y_of,
            description="name:N",
            color=alt.Color(
                f"{field}:N", scale=alt.Scale(domain=names, range=list(colours)), legend=above
            ),
            shape=alt.Shape(f"{field}:N", scale=alt.Scale(domain=names, range=list(shapes))),
        )
    )


def rule_at(data: str, *, along: alt.X | alt.Y, **mark: Any) -> alt.Chart:
    """Thin dashed lines where something is to be compared with."""
    style = {"color": INK, "strokeDash": [3, 3], "opacity": 0.5, "aria": False, **mark}
    encoded = {"x": along} if isinstance(along, alt.X) else {"y": along}
    return on(data).mark_rule(**style).encode(**encoded)


def line(data: str, x_of: alt.X, y_of: alt.Y, **mark: Any) -> alt.Chart:
    style = {"color": MARK, "strokeWidth": 2, "aria": False, **mark}
    return on(data).mark_line(**style).encode(x=x_of, y=y_of)


def kinds_of_lines(
    data: str, x_of: alt.X, y_of: alt.Y, field: str, kinds: Sequence[str], step: Any = "linear"
) -> alt.Chart:
    """Two or three lines, one for each value of `field`, told apart by dashes and colour."""
    above = legend()
    dashes, colours = [[1, 0], [6, 4], [2, 3]], [MARK, OTHER, INK]
    return (
        on(data)
        .mark_line(strokeWidth=2, aria=False, interpolate=step)
        .encode(
            x=x_of,
            y=y_of,
            color=alt.Color(
                f"{field}:N",
                scale=alt.Scale(domain=list(kinds), range=colours[: len(kinds)]),
                legend=above,
            ),
            strokeDash=alt.StrokeDash(
                f"{field}:N", scale=alt.Scale(domain=list(kinds), range=dashes[: len(kinds)])
            ),
        )
    )


def some_lines(data: str, x_of: alt.X, y_of: alt.Y, names: Sequence[str], dots: str = "") -> Any:
    """Up to four lines, one for each `of`, their names in rows; `dots` on them say their `name`.

    They are told apart by dashes and colour.
    """
    above = legend()
    above.columns, above.symbolType, above.symbolSize = 1, "stroke", 600
    dashes = [[1, 0], [6, 4], [2, 3], [10, 3, 2, 3]][: len(names)]
    colours = [MARK, OTHER, INK, MARK][: len(names)]
    colour = alt.Color("of:N", scale=alt.Scale(domain=list(names), range=colours), legend=above)
    dash = alt.StrokeDash("of:N", scale=alt.Scale(domain=list(names), range=dashes))
    return alt.layer(
        line(data, x_of, y_of).encode(color=colour, strokeDash=dash),
        points(dots or data, x_of, y_of, size=20).encode(color=colour),
    )


def thin_lines(data: str, x_of: alt.X, y_of: alt.Y) -> alt.Chart:
    """Many lines behind others, one for each `of`, which say their `name`."""
    drawn = on(data).mark_line(color=INK, strokeWidth=1, opacity=0.2)
    return drawn.encode(x=x_of, y=y_of, detail="of:N", description="name:N")


def band(data: str, x_of: alt.X, low: alt.Y, high: str) -> alt.Chart:
    """A shade from `low` to `high` (a field)."""
    shade = on(data).mark_area(color=MARK, opacity=SHADE, aria=False)
    return shade.encode(x=x_of, y=low, y2=f"{high}:Q")


def bands(data: str, x_of: alt.X, title: str | None, domain: Sequence[float]) -> Any:
    """Quantiles along x: rows `lowest`, `lower`, `median`, `upper`, `highest`, and a `name`."""
    base = on(data).encode(x=x_of)
    shades = base.mark_area(color=MARK, opacity=SHADE, aria=False)
    middle = base.encode(y="median:Q")
    return alt.layer(
        shades.encode(y=y("lowest", title, domain=domain), y2="highest:Q"),
        shades.encode(y="lower:Q", y2="upper:Q"),
        middle.mark_line(color=MARK, strokeWidth=2, aria=False),
        middle.mark_circle(color=MARK, size=24, opacity=1).encode(description="name:N"),
    )


def bars(data: str, title_x: str, title_y: str, *, log: bool = False, height: int = 180) -> Any:
    """A histogram of rows `from`, `to`, `n`; `log`: of a quantity on a log scale."""
    drawn = on(data).mark_rect(color=MARK, aria=False)
    return sized(
        drawn.encode(x=x("from", title_x, log=log), x2="to:Q", y=y("n", title_y), y2=alt.datum(0)),
        height,
    )


def intervals(data: str, of: alt.X | alt.Y, title: str, *, domain: Any = None) -> Any:
    """Dots with their 95% intervals: rows `mean`, `low`, `high`, and a `name`.

    Side by side, if their groups lie on the x axis, or else one below the other.
    """
    base, middle = on(data), {"description": "name:N"}
    if isinstance(of, alt.X):
        base, middle = base.encode(x=of), middle | {"y": "mean:Q"}
        ends = {"y": y("low", title, domain=domain), "y2": "high:Q"}
    else:
        base, middle = base.encode(y=of), middle | {"x": "mean:Q"}
        ends = {"x": x("low", title, domain=domain), "x2": "high:Q"}
    span = base.mark_rule(color=MARK, opacity=0.6, strokeWidth=2, aria=False)
    dot = base.mark_circle(color=MARK, size=60, opacity=1)
    return alt.layer(span.encode(**ends), dot.encode(**middle))


def ends(value: float, low: float, high: float) -> dict[str, float]:
    """The ends of an interval as rows have them; one that is not known is the value."""
    return {
        "low": value if math.isnan(low) else low,
        "high": value if math.isnan(high) else high,
    }


def intervals_of_kinds(
    data: str,
    value: str,
    title: str,
    of: alt.Y,
    field: str,
    kinds: Mapping[str, tuple[str, str]],
    columns: int | None = None,
    **given: Any,
) -> Any:
    """Dots as `shaped` draws them, groups and kinds below each other, from `low` to `high` a line.

    `value`: where a dot is; `given`: as `x` takes it.
    """
    apart = alt.YOffset(f"{field}:N", sort=list(kinds))
    spans = on(data).mark_rule(color=INK, opacity=0.5, aria=False)
    dots = shaped(data, x(value, title, **given), of, field, kinds, columns)
    return alt.layer(
        spans.encode(x=x("low", title, **given), x2="high:Q", y=of, yOffset=apart),
        dots.encode(yOffset=apart),
    )


def boxes(
    data: str,
    across: alt.X,
    title: str | None,
    *,
    size: int = 26,
    means: bool = False,
    **of: Any,
) -> Any:
    """Boxes as the paper draws them: median, quartiles, whiskers to 1.5 times their distance.

    Rows are of two kinds: boxes have `low`, `q1`, `median`, `q3`, `high` and perhaps `mean`, and
    outliers `value`; both have a `name`. `boxing.rows` makes them. `of`: as `y` takes it.
    """

    def layer(field: str) -> alt.Chart:
        return on(data).transform_filter(f"isValid(datum.{field})").encode(x=across)

    of_box = layer("median")
    drawn = [
        of_box.mark_rule(color=MARK, aria=False).encode(y=y("low", title, **of), y2="high:Q"),
        of_box.mark_bar(color=MARK, opacity=SHADE, size=size, aria=False).encode(
            y="q1:Q", y2="q3:Q"
        ),
        of_box.mark_tick(color=MARK, thickness=3, size=size, opacity=1).encode(
            y="median:Q", description="name:N"
        ),
        layer("value")
        .mark_circle(color=MARK, size=10, opacity=0.5)
        .encode(y="value:Q", description="name:N"),
    ]
    if means:
        mean = layer("mean").mark_point(shape="diamond", filled=True, color=OTHER, size=50)
        drawn.append(mean.encode(y="mean:Q", description="name:N"))
    return alt.layer(*drawn)


def panels(
    chart: Any, field: str, order: Sequence[str], columns: int = 3, *, height: int = 90
) -> Any:
    """Small panels in rows, one for each value of `field`, each under its name."""
    width = (WIDTH - 40) // columns - 24
    header = alt.Header(
        title=None, labelColor=INK, labelFontSize=LETTERS, labelFontWeight=600, labelPadding=2
    )
    return sized(chart, height, width).facet(
        facet=alt.Facet(f"{field}:N", sort=list(order), header=header), columns=columns, spacing=10
    )
