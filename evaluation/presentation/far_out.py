"""Dots far from all others stand at the edge of a plot, so that the others can be told apart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS
from web.drawing.charts import Plot
from web.drawing.texts import FONT_SIZE

FAR = 3  # times the distance of the quartiles beyond them
MIN_DOTS = 8
MAX_MOVED = 0.1  # of the dots; a tenth of them and more are no exception
GAIN = 0.7  # of the range at most is what the others take, else nothing is moved
MARGIN = 0.08  # of the others' range, to the edge
ARROWS = {("x", -1): "←", ("x", 1): "→", ("y", -1): "↓", ("y", 1): "↑"}


def ends(values: ArrayLike) -> tuple[float, float]:
    """From where to where dots are drawn: all but those far out.

    >>> ends([*range(40, 50), 0]), ends(range(10))
    ((39.28, 49.72), (0.0, 9.0))
    """
    every = np.asarray(values, dtype=np.float64)
    known = every[np.isfinite(every)]
    if not known.size:
        return 0.0, 1.0
    least, most = float(known.min()), float(known.max())
    lower, upper = np.quantile(known, (0.25, 0.75))
    reach = FAR * (upper - lower)
    near = known[(known >= lower - reach) & (known <= upper + reach)]
    low, high = float(near.min()), float(near.max())
    moved = known.size - near.size
    if known.size < MIN_DOTS or moved > max(1, MAX_MOVED * known.size):
        return least, most
    if high - low > GAIN * (most - least) or high == low:
        return least, most
    margin = MARGIN * (high - low)
    return round(low - margin, 12), round(high + margin, 12)


def placed(marks: Sequence[dict[str, Any]], x: str, y: str) -> list[dict[str, Any]]:
    """Marks with where they are drawn, `x_at` and `y_at`, and an arrow to where some would be.

    x, y: the fields of their values.
    """
    limits = {"x": (x, ends([m[x] for m in marks])), "y": (y, ends([m[y] for m in marks]))}
    drawn = []
    for mark in marks:
        at, arrow = {}, ""
        for side, (field, (low, high)) in limits.items():
            value = mark[field]
            at[f"{side}_at"] = value if value is None else min(max(value, low), high)
            arrow += ARROWS.get((side, (value > high) - (value < low)), "")
        drawn.append({**mark, **at, **({"arrow": arrow} if arrow else {})})
    return drawn


def arrows(data: str, across: Any, up: Any) -> Any:
    """Beside the dots at the edge."""
    style: dict[str, Any] = {"colour": plots.INK, "size": FONT_SIZE, "anchor": "start", "dx": 6}
    return plots.mark("text", data, text="arrow", x=across, y=up, **style)


def scatter(across: str, up: str, **ax: Any) -> Plot:
    """A dot for each mark, as `placed` gives them; across, up: titles; ax: of the axis across."""
    x, y = plots.axis("x_at", across, **ax), plots.axis("y_at", up)
    return plots.layer(plots.points(ROWS, x, y), arrows(ROWS, x, y))


def caption(marks: Sequence[dict[str, Any]]) -> str:
    """What the arrows mean, where there are any."""
    return (
        " An arrow: the dot would lie beyond the edge." if any("arrow" in m for m in marks) else ""
    )
