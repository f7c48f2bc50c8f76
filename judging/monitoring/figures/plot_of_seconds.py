"""The plot of seconds on a document."""

import math
from functools import lru_cache

import altair as alt

from judging.monitoring.figures.plots import CACHE_SIZE, LEFT, WIDTH, Rows
from web.charts import FONT_SIZE, INK, MARK, svg

HEIGHT = 190
HEADROOM = 56  # pixels over the highest bar, for lines' names and the quantiles


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
        scale=alt.Scale(domain=[0, top * HEIGHT / (HEIGHT - HEADROOM)], nice=False),
        axis=alt.Axis(title="documents", values=_steps(top), format=",d"),
    )
    bars = alt.Chart(alt.NamedData("bars")).mark_rect(stroke=MARK, strokeWidth=1, aria=False)
    hollow = alt.condition("datum.long", alt.value("transparent"), alt.value(MARK))
    return svg(
        alt.layer(bars.encode(x=x, x2="to:Q", y=y, y2="high:Q", fill=hollow), *_lines()).properties(
            width=WIDTH, height=HEIGHT
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
    """The minimum and the median as lines with their names, and the quantiles as a bar."""
    lines = alt.Chart(alt.NamedData("lines")).encode(x="at:Q")
    spans = alt.Chart(alt.NamedData("spans")).encode(x="at:Q", x2="to:Q", y=alt.value(42))
    width = alt.StrokeWidth("width:Q", scale=None, legend=None)
    names = lines.mark_text(
        color=INK, align="left", dx=4, baseline="top", fontSize=FONT_SIZE, aria=False
    )
    return [
        lines.mark_rule(color=INK, strokeDash=[4, 3], aria=False).encode(
            y=alt.Y("row:Q", scale=None), y2=alt.value(HEIGHT)
        ),
        names.encode(text="name:N", y=alt.Y("row:Q", scale=None)),
        spans.mark_rule(color=INK, aria=False).encode(strokeWidth=width),
    ]


def _ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each power of ten."""
    candidates = (base * 10.0**power for power in range(-1, 7) for base in (1, 2, 5))
    return [tick for tick in candidates if low <= tick <= high]


def _steps(top: int) -> list[int]:
    """Some four round numbers up to `top`."""
    min_step = max(top / 4, 1)
    size = 10 ** math.floor(math.log10(min_step))
    step = next(size * base for base in (1, 2, 5, 10) if size * base >= min_step)
    return list(range(0, top + 1, step))
