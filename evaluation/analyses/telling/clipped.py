"""Boxes that are drawn up to an end, with how many values lie above the paper's limit."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.analyses.study.data import Floats
from evaluation.analyses.telling.parts import number
from evaluation.spread.spread import Boxes


def end_for(medians: Floats, limit: float) -> float:
    """Up to where boxes are drawn: the limit, or twice the largest median where that is more."""
    return max(limit, 2 * float(np.nanmax(medians, initial=0.0)))


def rows(found: Boxes, names: Sequence[str], end: float) -> list[dict[str, Any]]:
    """Rows for `plots.boxes`, by `group`; boxes without a value are left out."""
    made: list[dict[str, Any]] = []
    said = [name.partition("|")[0] for name in names]
    for place in np.flatnonzero(found.counts).tolist():
        edges = {"low": found.low, "q1": found.lower, "q3": found.upper, "high": found.high}
        middle = float(found.median[place])
        made.append(
            {
                "group": names[place],
                "name": f"{said[place]}: median {number(middle)}, n = {found.counts[place]:,}",
                "median": middle,
                **{name: min(float(edge[place]), end) for name, edge in edges.items()},
            }
        )
    drawn = zip(found.drawn.tolist(), found.drawn_groups.tolist(), strict=True)
    made += [
        {"group": names[place], "name": f"{said[place]}: {number(value)}", "value": value}
        for value, place in drawn
        if value <= end
    ]
    return made


def lines(name: str, n: int, above: int, limit: float) -> str:
    """A label below a box, its lines divided as `plots.category` takes them."""
    return f"{name}|n {n:,}|> {limit:g}: {above:,}"
