from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, number
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count
from web.drawing.charts import Plot, Stack
from web.drawing.marks import INK
from web.drawing.texts import FONT_SIZE
from workspace.planning.forecasting import MAX_JUDGES, Row
from workspace.planning.sentences import Context, half_of, price, row_for

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
MAIN_HEIGHT, SMALL_HEIGHT = 220, 110  # pixels: the first panel, and those below
BAND_OPACITY = 0.12
AXIS_PADDING = 1.2  # of the axis of money, for the names of lines
LABEL_WIDTH = 44  # pixels for the numbers of an axis, the same in all panels


def figure(rows: Sequence[Row], context: Context) -> Figure:
    """Tau, top set and gains by what they cost, a line for each number of topics."""
    lines = {name: _lines(rows, name, context) for name in PANELS}
    shown = [name for name in PANELS if lines[name]]
    heights = [MAIN_HEIGHT, *[SMALL_HEIGHT] * len(shown)]
    panels = [
        _panel(name, height, rows, context, is_last=name == shown[-1])
        for name, height in zip(shown, heights, strict=False)
    ]
    return Figure(
        "money",
        _finding(rows, context),
        Row._fields,
        rows,
        "Each dot is a number of judges for each document, 1 to 15 from left to right; each line a "
        "number of topics. Bands hold 95% of simulated studies. Look for where a line grows flat: "
        "from there on more judges tell little more. With fewer topics the test of the top set "
        f"tells fewer systems apart, and with fewer than {LEAST_TOPICS} none.",
        Stack(panels),
        {**lines, "ends": list(_ends(lines[shown[0]])), "plan": _plan(rows, context)},
    )


def _title(panel: str, context: Context) -> str:
    off = "gains off, in levels" if context.levels else "gains off, as a factor"
    return off if panel == "gain_off" else PANELS[panel]


def _finding(rows: Sequence[Row], context: Context) -> str:
    planned = row_for(rows, context.topics, min(context.judges, MAX_JUDGES))
    if planned is None or np.isnan(planned.tau):
        return "How far gains differ from the true ones, by what they cost"
    half = row_for(rows, planned.topics, half_of(planned.judges))
    less = (
        f"; {count(half.judges, 'judge')}: {number(half.tau)}"
        if half and half is not planned
        else ""
    )
    return (
        f"{price(planned, context)} buy a tau of {number(planned.tau)} with the true order "
        f"({number(planned.tau_low)} to {number(planned.tau_high)}){less}"
    )


def _lines(rows: Sequence[Row], name: str, context: Context) -> list[dict[str, Any]]:
    drawn = []
    for row in rows:
        value, low, high = (float(getattr(row, column)) for column in INTERVALS[name])
        if np.isnan(value):
            continue
        drawn.append(
            {
                "of": count(row.topics, "topic"),
                "cost": _amount(row, context),
                "value": value,
                "low": value if np.isnan(low) else low,
                "high": value if np.isnan(high) else high,
                "name": f"{count(row.topics, 'topic')}, {count(row.judges, 'judge')}, "
                f"{price(row, context)}: {number(value)}",
            }
        )
    return drawn


def _amount(row: Row, context: Context) -> float:
    return row.cost if context.unit_cost else row.units


def _ends(lines: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from {row["of"]: {**row, "name": ""} for row in lines}.values()


def _plan(rows: Sequence[Row], context: Context) -> list[dict[str, Any]]:
    planned = row_for(rows, context.topics, context.judges)
    return [{"cost": _amount(planned, context)}] if planned else []


def _panel(name: str, height: int, rows: Sequence[Row], context: Context, *, is_last: bool) -> Plot:
    title = _title(name, context)
    names = [count(topics, "topic") for topics in dict.fromkeys(row.topics for row in rows)]
    domain = (0, _max_amount(rows, context))
    x = plots.axis("cost", _axis_title(context) if is_last else None, domain=domain)
    y, low = (plots.axis(field, title, least_room=LABEL_WIDTH) for field in ("value", "low"))
    kinds: dict[str, Any] = plots.lined(names, by="of", legend=False)
    layers = [
        plots.rule_at("plan", x=x),
        plots.band(name, x, low, "high", opacity=BAND_OPACITY, **kinds),
        plots.line(name, x, y, **kinds),
        plots.points(name, x, y, size=20, **kinds),
    ]
    if height == MAIN_HEIGHT:  # in lower panels the names would lie on lines
        style: dict[str, Any] = {"size": FONT_SIZE - 1, "colour": INK, "anchor": "start"}
        layers.append(plots.mark("text", "ends", x=x, y=y, text="of", dx=6, **style))
    return plots.sized(plots.layer(*layers), height)


def _axis_title(context: Context) -> str:
    return f"{context.currency}, fees included" if context.unit_cost else "units"


def _max_amount(rows: Sequence[Row], context: Context) -> float:
    return max(_amount(row, context) for row in rows) * AXIS_PADDING
