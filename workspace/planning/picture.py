"""The picture of a forecast: what it tells, by the money that it costs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np

from evaluation.analyses.study.comparing import ENOUGH
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Figure, interval_ends, number
from trec.words import count
from web.charts import FONT_SIZE, INK
from workspace.planning.forecasting import MOST_JUDGES
from workspace.planning.telling import Row, Situation, half_of, price, row_for

PANELS = {
    "tau": "tau with the true order",
    "top_set": "true top set found",
    "gain_off": "gains off",
}
INTERVALS = {
    "tau": ("tau", "tau_low", "tau_high"),
    "top_set": ("top_set_found", "top_set_low", "top_set_high"),
    "gain_off": ("gain_off", "gain_off_low", "gain_off_high"),
}
TALL, LOW = 220, 110  # pixels: the first panel, and those below
SHADE = 0.12
ROOM = 1.2  # of the axis of money, for the names of lines
LABELS = 44  # pixels for the numbers of an axis, the same in all panels


def figure(rows: Sequence[Row], situation: Situation) -> Figure:
    """Tau, top set and gains by what they cost, a line for each number of topics."""
    lines = {name: _lines(rows, name, situation) for name in PANELS}
    drawn = [name for name in PANELS if lines[name]]
    heights = [TALL, *[LOW] * len(drawn)]
    panels = [
        _panel(name, height, rows, situation, is_last=name == drawn[-1])
        for name, height in zip(drawn, heights, strict=False)
    ]
    return Figure(
        "money",
        _finding(rows, situation),
        "Each dot is a number of judges for each document, 1 to 15 from left to right; each line a "
        "number of topics. Bands hold 95% of simulated studies. Look for where a line grows flat: "
        "from there on more judges tell little more. With fewer topics the test of the top set "
        f"tells fewer systems apart, and with fewer than {ENOUGH} none.",
        alt.vconcat(*panels),
        {**lines, "ends": list(_ends(lines[drawn[0]])), "plan": _plan(rows, situation)},
        Row,
        rows,
    )


def _title(panel: str, situation: Situation) -> str:
    off = "gains off, in levels" if situation.levels else "gains off, as a factor"
    return off if panel == "gain_off" else PANELS[panel]


def _finding(rows: Sequence[Row], situation: Situation) -> str:
    planned = row_for(rows, situation.topics, min(situation.judges, MOST_JUDGES))
    if planned is None or np.isnan(planned.tau):
        return "How far gains differ from the true ones, by what they cost"
    half = row_for(rows, planned.topics, half_of(planned.judges))
    less = (
        f"; {count(half.judges, 'judge')}: {number(half.tau)}"
        if half and half is not planned
        else ""
    )
    return (
        f"{price(planned, situation)} buy a tau of {number(planned.tau)} with the true order "
        f"({number(planned.tau_low)} to {number(planned.tau_high)}){less}"
    )


def _lines(rows: Sequence[Row], name: str, situation: Situation) -> list[dict[str, Any]]:
    """The dots of one panel, with the ends of their bands; what is not defined is left out."""
    drawn = []
    for row in rows:
        value, low, high = (float(getattr(row, column)) for column in INTERVALS[name])
        if np.isnan(value):
            continue
        drawn.append(
            {
                "of": count(row.topics, "topic"),
                "cost": _amount(row, situation),
                "value": value,
                **interval_ends(value, low, high),
                "name": f"{count(row.topics, 'topic')}, {count(row.judges, 'judge')}, "
                f"{price(row, situation)}: {number(value)}",
            }
        )
    return drawn


def _amount(row: Row, situation: Situation) -> float:
    return row.cost if situation.unit_cost else row.units


def _ends(lines: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The last dot of each line, where its name stands."""
    yield from {row["of"]: {**row, "name": ""} for row in lines}.values()


def _plan(rows: Sequence[Row], situation: Situation) -> list[dict[str, Any]]:
    planned = row_for(rows, situation.topics, situation.judges)
    return [{"cost": _amount(planned, situation)}] if planned else []


def _panel(
    name: str, height: int, rows: Sequence[Row], situation: Situation, *, is_last: bool
) -> alt.LayerChart:
    """One quantity by what it costs: bands, and lines with dots. The last panel names the axis."""
    title = _title(name, situation)
    names = [count(topics, "topic") for topics in dict.fromkeys(row.topics for row in rows)]
    across = plots.x(
        "cost",
        _paid(situation) if is_last else None,
        domain=(0, _most(rows, situation)),
        format=",.0f",
    )
    up = plots.y("value", title, minExtent=LABELS, maxExtent=LABELS)
    colour = alt.Color("of:N", scale=plots.named_scale(names, plots.COLOURS), legend=None)
    dash = alt.StrokeDash("of:N", scale=plots.named_scale(names, plots.DASHES), legend=None)
    shade = plots.on(name).mark_area(opacity=SHADE, aria=False)
    layers = [
        plots.rule_at("plan", along=across),
        shade.encode(x=across, y=plots.y("low", title), y2="high:Q", color=colour),
        plots.line(name, across, up).encode(color=colour, strokeDash=dash),
        plots.points(name, across, up, size=20).encode(color=colour),
    ]
    if height == TALL:  # in lower panels the names would lie on lines
        text = plots.on("ends").mark_text(
            align="left", dx=6, fontSize=FONT_SIZE - 1, color=INK, aria=False
        )
        layers.append(text.encode(x=across, y=up, text="of:N"))
    return plots.sized(alt.layer(*layers), height)


def _paid(situation: Situation) -> str:
    return f"{situation.currency}, fees included" if situation.unit_cost else "units"


def _most(rows: Sequence[Row], situation: Situation) -> float:
    """Where the axis of money ends."""
    return max(_amount(row, situation) for row in rows) * ROOM
