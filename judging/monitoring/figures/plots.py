"""The monitoring plots: plain values in, SVG out, drawn once for the same values.

Each is drawn for a column of 440 pixels, so that its letters stay legible on a phone. Nothing
relies on colour alone: kinds have a panel of their own, under their name.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from magnitudes.files.words import count
from web.drawing.charts import Panels, Plot, Stack, svg
from web.drawing.marks import INK, Mark
from web.drawing.scales import Axis
from web.drawing.texts import FONT_SIZE

WIDTH = 400
PANEL = 54  # pixels high
SECONDS_HEIGHT = 190
HEADROOM = 56  # pixels over the highest bar of seconds, for lines' names and the quantiles
CACHE_SIZE = 32  # drawings of each kind

Times = tuple[datetime, ...]
Interval = tuple[float | None, float | None, float | None]  # a share and its interval
Kinds = tuple[tuple[str, tuple[float, ...]], ...]
Rows = list[dict[str, Any]]


def _time_axis(edges: Times, field: str) -> Axis:
    domain = edges[0].timestamp(), edges[-1].timestamp()
    return Axis(field=field, kind="time", domain=domain, grid=False)


def _panels(kinds: Iterable[tuple[str, Any]], *marks: Mark) -> Panels:
    return Panels(Plot(marks, WIDTH, PANEL), "kind", [kind for kind, _ in kinds], columns=1)


def _when(start: datetime, end: datetime) -> str:
    """When a bar begins and ends, by the clock that the axis has."""
    return f"{start:%d %b %H:%M} to {end:%d %b %H:%M} UTC"


def _share(share: float | None, low: float | None, high: float | None) -> str:
    if share is None or low is None or high is None:
        return "none"
    return f"{share:.0%} ({low:.0%} to {high:.0%})"


@lru_cache(CACHE_SIZE)
def bars(edges: Times, groups: tuple[Kinds, ...], description: str) -> str:
    """A panel for each kind; those of a group share the axis of their numbers."""
    rows: dict[str, Rows] = {}
    charts = []
    for number, kinds in enumerate(groups):
        name = f"group {number}"
        rows[name] = [
            {"kind": kind, "from": start.timestamp(), "to": end.timestamp(), "n": n}
            | {"name": f"{kind}, {_when(start, end)}: {n:,.0f}"}
            for kind, values in kinds
            for start, end, n in zip(edges, edges[1:], values, strict=False)
        ]
        top = max(max(values) for _, values in kinds)
        x = replace(_time_axis(edges, "from"), is_shown=kinds is groups[-1])
        y = Axis(field="n", ticks=2, whole=True, domain=None if top else (0, 1))
        charts.append(_panels(kinds, Mark(kind="rect", data=name, x=x, x2="to", y=y, named=True)))
    return svg(Stack(charts), description, rows)


@lru_cache(CACHE_SIZE)
def rates(
    edges: Times, kinds: tuple[tuple[str, tuple[Interval, ...]], ...], description: str
) -> str:
    rows = [
        {"kind": kind, "at": (a.timestamp() + b.timestamp()) / 2}
        | {"share": share, "low": low, "high": high}
        | {"name": f"{kind}, {_when(a, b)}: {_share(share, low, high)}"}
        for kind, values in kinds
        for a, b, (share, low, high) in zip(edges, edges[1:], values, strict=False)
    ]
    x, (low, share) = (
        _time_axis(edges, "at"),
        (Axis(field=field, ticks=2, percent=True) for field in ("low", "share")),
    )
    intervals = Mark(kind="rule", data="shares", x=x, y=low, y2="high", width=2, opacity=0.85)
    dots = Mark(kind="point", data="shares", x=x, y=share, size=22, named=True)
    return svg(_panels(kinds, intervals, dots), description, {"shares": rows})


@lru_cache(CACHE_SIZE)
def course(
    done: tuple[tuple[datetime, int], ...],
    forecast: tuple[tuple[datetime, float, float | None, float], ...],
    planned: int,
    description: str,
) -> str:
    """Units completed so far, and where they go at the present rate: time, low, mean, high."""
    start = done[0][0]
    x = _time_axis((start, (forecast or done)[-1][0]), "at")
    title, domain = "units completed", (0, planned)
    n, low = (Axis(field=field, title=title, domain=domain, whole=True) for field in ("n", "low"))
    name: dict[str, Any] = {"text": "name", "anchor": "start", "dx": 4, "dy": -10}
    marks = (
        Mark(kind="rule", data="planned", y=n, colour=INK, dash=(2, 3)),
        Mark(kind="text", data="planned", x=x, y=n, colour=INK, size=FONT_SIZE, **name),
        Mark(kind="area", data="ahead", x=x, y=low, y2="high", opacity=0.25),
        Mark(kind="line", data="ahead", x=x, y=n, width=2, dash=(5, 4)),
        Mark(kind="line", data="so far", x=x, y=n, width=2.5),
    )
    rows: dict[str, Rows] = {
        "so far": [{"at": at.timestamp(), "n": n} for at, n in done],
        "ahead": [{"at": at.timestamp(), "low": a, "n": b, "high": c} for at, a, b, c in forecast],
        "planned": [{"at": start.timestamp(), "n": planned, "name": f"{planned:,} planned"}],
    }
    return svg(Plot(marks, WIDTH, 150), description, rows)


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
    highest = max(a + b for a, b in zip(short, long, strict=True))
    top = highest * SECONDS_HEIGHT / (SECONDS_HEIGHT - HEADROOM)

    def down(pixels: float) -> float:
        return top * (1 - pixels / SECONDS_HEIGHT)

    ends = edges[0], edges[-1]
    x, at = (
        Axis(field=field, title="seconds on a document", kind="log", domain=ends, grid=False)
        for field in ("from", "at")
    )
    documents = Axis(field="low", title="documents", domain=(0, top), values=_steps(highest))
    y = replace(documents, field="n")
    bar: dict[str, Any] = {
        "kind": "rect",
        "named": True,
        "x": x,
        "x2": "to",
        "y": documents,
        "y2": "high",
    }
    marks = (
        Mark(data="short", edge=True, **bar),
        Mark(data="long", edge=True, filled=False, **bar),
        Mark(kind="rule", data="lines", x=at, y=y, y2="zero", colour=INK, dash=(4, 3)),
        Mark(
            kind="text",
            data="lines",
            x=at,
            y=y,
            text="name",
            colour=INK,
            size=FONT_SIZE,
            anchor="start",
            dx=4,
            dy=6,
        ),
        Mark(kind="rule", data="most", x=at, x2="to", y=y, colour=INK, width=1.5),
        Mark(kind="rule", data="half", x=at, x2="to", y=y, colour=INK, width=6),
    )
    p5, p25, median, p75, p95 = quantiles
    lines = [{"at": median, "name": f"median {median:.0f} s", "n": down(16), "zero": 0}]
    if minimum > 0:
        name = f"minimum {minimum:g} s"
        lines.append({"at": minimum, "name": name, "n": down(0), "zero": 0})
    rows = {
        "short": _of_seconds(edges, [0] * len(short), short),
        "long": _of_seconds(edges, short, [n + m for n, m in zip(short, long, strict=True)]),
        "lines": lines,
        "most": [{"at": p5, "to": p95, "n": down(42)}],
        "half": [{"at": p25, "to": p75, "n": down(42)}],
    }
    return svg(Plot(marks, WIDTH, SECONDS_HEIGHT), description, rows)


def _of_seconds(edges: Sequence[float], low: Sequence[int], high: Sequence[int]) -> Rows:
    return [
        {"from": start, "to": end, "low": bottom, "high": top}
        | {"name": f"{start:.3g} to {end:.3g} s: {count(top - bottom, 'document')}"}
        for start, end, bottom, top in zip(edges, edges[1:], low, high, strict=False)
        if top > bottom
    ]


def _steps(top: int) -> list[int]:
    min_step = max(top / 4, 1)
    size = 10 ** math.floor(math.log10(min_step))
    step = next(size * base for base in (1, 2, 5, 10) if size * base >= min_step)
    return list(range(0, top + 1, step))
