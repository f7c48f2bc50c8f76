"""The monitoring plots: plain values in, SVG out, drawn once for the same values.

Each is drawn for a column of 440 pixels, so that its letters stay legible on a phone. Nothing
relies on colour alone: kinds have a panel of their own, under their name.
"""

from __future__ import annotations  # which would load `alt`

import math
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from web.charts import FONT_SIZE, INK, MARK, svg
from web.lazy import altair as alt

WIDTH = 400
PANEL = 54  # pixels high
SECONDS_HEIGHT = 190
HEADROOM = 56  # pixels over the highest bar of seconds, for lines' names and the quantiles
CACHE_SIZE = 32  # drawings of each kind
LEFT = 8
# Hours where days do not change, and the day where they do; 24 hours, UTC.
CLOCK = {
    "seconds": "%H:%M:%S",
    "minutes": "%H:%M",
    "hours": "%H:%M",
    "day": "%-d %b",
    "date": "%-d %b",
    "week": "%-d %b",
    "month": "%B",
    "quarter": "%B",
    "year": "%Y",
}

Times = tuple[datetime, ...]
Interval = tuple[float | None, float | None, float | None]  # a share and its interval
Rows = list[dict[str, Any]]


def _at(time: datetime) -> int:
    """As Vega takes times: milliseconds."""
    return round(time.timestamp() * 1000)


def _time_axis(edges: Times, field: str, *, labelled: bool = True) -> alt.X:
    return alt.X(
        f"{field}:T",
        scale=alt.Scale(type="utc", domain=[_at(edges[0]), _at(edges[-1])], nice=False),
        axis=alt.Axis(
            title=None,
            format=CLOCK,
            grid=False,
            tickCount=5,
            labels=labelled,
            labelFlush=True,
            labelOverlap=True,
        ),
    )


def _header() -> alt.Header:
    return alt.Header(
        labelOrient="top",
        labelAnchor="start",
        labelColor=INK,
        labelFontSize=FONT_SIZE,
        labelFontWeight=600,
        labelPadding=4,
    )


def _facets(panel: Any, names: Sequence[str]) -> alt.FacetChart:
    rows = alt.Row("kind:N", sort=list(names), title=None, header=_header())
    chart: alt.FacetChart = panel.properties(width=WIDTH, height=PANEL).facet(row=rows, spacing=14)
    return chart


Kinds = tuple[tuple[str, tuple[float, ...]], ...]


def _of_bins(edges: Times, kinds: Kinds) -> Rows:
    """A row for each bar; a bar of nothing for each kind, so that it has its panel."""
    rows: Rows = [
        {"kind": kind, "from": _at(edges[0]), "to": _at(edges[0]), "n": 0} for kind, _ in kinds
    ]
    for kind, values in kinds:
        bins = zip(edges, edges[1:], values, strict=False)
        rows += [{"kind": kind, "from": _at(a), "to": _at(b), "n": n} for a, b, n in bins if n]
    return rows


def _bars(name: str, edges: Times, kinds: Kinds, last: bool) -> alt.FacetChart:
    top = max(max(values) for _, values in kinds)
    y = alt.Y(
        "n:Q",
        scale=alt.Scale(domain=[0, top or 1], nice=True),
        axis=alt.Axis(title=None, tickCount=2, tickMinStep=1),
    )
    bars = (
        alt.Chart(alt.NamedData(name))
        .mark_rect(color=MARK, aria=False)
        .encode(x=_time_axis(edges, "from", labelled=last), x2="to:T", y=y, y2=alt.datum(0))
    )
    return _facets(bars, [kind for kind, _ in kinds])


@lru_cache(CACHE_SIZE)
def bars(edges: Times, groups: tuple[Kinds, ...], description: str) -> str:
    names = [f"group {number}" for number in range(len(groups))]
    charts = [
        _bars(name, edges, kinds, name == names[-1])
        for name, kinds in zip(names, groups, strict=True)
    ]
    rows = {name: _of_bins(edges, kinds) for name, kinds in zip(names, groups, strict=True)}
    chart = charts[0] if len(charts) == 1 else alt.vconcat(*charts, spacing=14)
    return svg(chart, description, rows=rows, left=LEFT)


def _of_shares(edges: Times, kinds: tuple[tuple[str, tuple[Interval, ...]], ...]) -> Rows:
    rows: Rows = [{"kind": kind, "at": _at(edges[0])} for kind, _ in kinds]
    for kind, values in kinds:
        rows += [
            {"kind": kind, "at": (_at(a) + _at(b)) // 2, "share": share, "low": low, "high": high}
            for a, b, (share, low, high) in zip(edges, edges[1:], values, strict=False)
            if share is not None
        ]
    return rows


@lru_cache(CACHE_SIZE)
def rates(
    edges: Times, kinds: tuple[tuple[str, tuple[Interval, ...]], ...], description: str
) -> str:
    base = alt.Chart(alt.NamedData("shares")).encode(x=_time_axis(edges, "at"))
    y = alt.Y("low:Q", axis=alt.Axis(title=None, tickCount=2, format="%"))
    interval = base.mark_rule(color=MARK, opacity=0.85, strokeWidth=2, aria=False)
    share = base.mark_circle(color=MARK, size=22, opacity=1, aria=False)
    panel = alt.layer(interval.encode(y=y, y2="high:Q"), share.encode(y="share:Q"))
    chart = _facets(panel, [kind for kind, _ in kinds])
    return svg(chart, description, rows={"shares": _of_shares(edges, kinds)}, left=LEFT)


@lru_cache(CACHE_SIZE)
def course(
    done: tuple[tuple[datetime, int], ...],
    forecast: tuple[tuple[datetime, float, float | None, float], ...],
    planned: int,
    description: str,
) -> str:
    """Units completed so far, and where they go at the present rate: time, low, mean, high."""
    x = _time_axis((done[0][0], (forecast or done)[-1][0]), "at")
    y = alt.Y(
        "n:Q",
        scale=alt.Scale(domain=[0, planned], nice=False),
        axis=alt.Axis(title="units completed", tickCount=5, tickMinStep=1),
    )
    ahead = alt.Chart(alt.NamedData("ahead")).encode(x=x)
    all_planned = alt.Chart(alt.NamedData("planned")).encode(y=y)
    name = all_planned.mark_text(
        color=INK, fontSize=FONT_SIZE, align="left", baseline="bottom", dx=4, dy=-3, aria=False
    )
    so_far = alt.Chart(alt.NamedData("so far")).mark_line(color=MARK, strokeWidth=2.5, aria=False)
    band = ahead.mark_area(color=MARK, opacity=0.25, aria=False)
    mean = ahead.mark_line(color=MARK, strokeDash=[5, 4], aria=False)
    chart = alt.layer(
        all_planned.mark_rule(color=INK, strokeDash=[2, 3], aria=False),
        name.encode(x=alt.value(0), text="name:N"),
        band.encode(y="low:Q", y2="high:Q"),
        mean.transform_filter("datum.n !== null").encode(y="n:Q"),
        so_far.encode(x=x, y=y),
    )
    rows: dict[str, Rows] = {
        "so far": [{"at": _at(at), "n": n} for at, n in done],
        "ahead": [{"at": _at(at), "low": a, "n": b, "high": c} for at, a, b, c in forecast],
        "planned": [{"n": planned, "name": f"{planned:,} planned"}],
    }
    chart = chart.properties(width=WIDTH, height=150)
    return svg(chart, description, rows=rows, left=LEFT)


@lru_cache(CACHE_SIZE)
def histogram(
    edges: tuple[float, ...],
    short: tuple[int, ...],
    long: tuple[int, ...],
    minimum: float,
    quantiles: tuple[float, ...],
    description: str,
) -> str:
    """Documents by seconds on a logarithmic scale; those with a long visit are hollow, on top.

    Over the bars the five quantiles: 5 to 95% thin, the middle half thick, the median by name.
    """
    top = max(a + b for a, b in zip(short, long, strict=True))
    x = alt.X(
        "from:Q",
        scale=alt.Scale(type="log", domain=[edges[0], edges[-1]], nice=False),
        axis=alt.Axis(
            title="seconds on a document",
            grid=False,
            values=_ticks(edges[0], edges[-1]),
            format="~g",
            labelOverlap=True,
        ),
    )
    y = alt.Y(
        "low:Q",
        scale=alt.Scale(domain=[0, top * SECONDS_HEIGHT / (SECONDS_HEIGHT - HEADROOM)], nice=False),
        axis=alt.Axis(title="documents", values=_steps(top), format=",d"),
    )
    bars = alt.Chart(alt.NamedData("bars")).mark_rect(stroke=MARK, strokeWidth=1, aria=False)
    hollow = alt.condition("datum.long", alt.value("transparent"), alt.value(MARK))
    return svg(
        alt.layer(bars.encode(x=x, x2="to:Q", y=y, y2="high:Q", fill=hollow), *_lines()).properties(
            width=WIDTH, height=SECONDS_HEIGHT
        ),
        description,
        rows=_of_seconds(edges, short, long, minimum, quantiles),
        left=LEFT,
    )


def _of_seconds(
    edges: tuple[float, ...],
    short: tuple[int, ...],
    long: tuple[int, ...],
    minimum: float,
    quantiles: tuple[float, ...],
) -> dict[str, Rows]:
    p5, p25, median, p75, p95 = quantiles
    lines = [{"at": median, "name": f"median {median:.0f} s", "row": 16}]
    if minimum > 0:
        lines.append({"at": minimum, "name": f"minimum {minimum:g} s", "row": 0})
    return {
        "bars": [
            {"from": a, "to": b, "low": bottom, "high": top, "long": is_long}
            for a, b, n, m in zip(edges, edges[1:], short, long, strict=False)
            for bottom, top, is_long in ((0, n, False), (n, n + m, True))
            if top > bottom
        ],
        "lines": lines,
        "spans": [{"at": p5, "to": p95, "width": 1.5}, {"at": p25, "to": p75, "width": 6}],
    }


def _lines() -> list[alt.Chart]:
    lines = alt.Chart(alt.NamedData("lines")).encode(x="at:Q")
    spans = alt.Chart(alt.NamedData("spans")).encode(x="at:Q", x2="to:Q", y=alt.value(42))
    width = alt.StrokeWidth("width:Q", scale=None, legend=None)
    names = lines.mark_text(
        color=INK, align="left", dx=4, baseline="top", fontSize=FONT_SIZE, aria=False
    )
    return [
        lines.mark_rule(color=INK, strokeDash=[4, 3], aria=False).encode(
            y=alt.Y("row:Q", scale=None), y2=alt.value(SECONDS_HEIGHT)
        ),
        names.encode(text="name:N", y=alt.Y("row:Q", scale=None)),
        spans.mark_rule(color=INK, aria=False).encode(strokeWidth=width),
    ]


def _ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each power of ten."""
    candidates = (base * 10.0**power for power in range(-1, 7) for base in (1, 2, 5))
    return [tick for tick in candidates if low <= tick <= high]


def _steps(top: int) -> list[int]:
    min_step = max(top / 4, 1)
    size = 10 ** math.floor(math.log10(min_step))
    step = next(size * base for base in (1, 2, 5, 10) if size * base >= min_step)
    return list(range(0, top + 1, step))
