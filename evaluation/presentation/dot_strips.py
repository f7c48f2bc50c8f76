"""A strip of dots, one for each of many things, which would not fit below each other."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.presentation import plots
from web.drawing.texts import FONT_SIZE

BINS = 64  # from end to end, a dot wide each
DOT, STEP = 40, 9  # the area of a dot, and how far one lies above another, in pixels
NAMED = 2  # at each end
HALF_NAME = 0.07  # of the axis


def rows(values: ArrayLike, names: Sequence[str], labels: Sequence[str]) -> list[dict[str, Any]]:
    """A dot for each value that is known, stacked where they are close; names of a few at the ends.

    names: of all, labels: what each dot says under the mouse.

    >>> marks = rows([0.5, 0.501, 1, np.nan], "abcd", "abcd")
    >>> [(mark["value"], mark["up"]) for mark in marks if "name" in mark]
    [(0.5, 0), (0.501, 1), (1.0, 0)]
    >>> [(mark["label"], mark["up"]) for mark in marks if "label" in mark]
    [('a', 2), ('c', 1)]
    """
    every = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(every))
    order = known[np.argsort(every[known], kind="stable")]
    ascending = every[order]
    reach = float(np.ptp(ascending)) if order.size else 0.0
    bins = np.minimum((ascending - ascending[:1]) // (reach / BINS or 1.0), BINS - 1).tolist()
    placed = Counter[float]()
    dots = []
    for at, item in zip(bins, order.tolist(), strict=True):
        dots.append({"value": float(every[item]), "up": placed[at], "name": labels[item]})
        placed[at] += 1
    ups = np.array([dot["up"] for dot in dots])
    for place in _named(ascending, 2 * HALF_NAME * reach):
        near = np.abs(ascending - ascending[place]) <= HALF_NAME * reach
        above = {"value": float(ascending[place]), "up": int(ups[near].max()) + 1}
        dots.append({**above, "label": names[order[place]]})
    return dots


def _named(ascending: NDArray[np.float64], apart: float) -> list[int]:
    """Places of a few at both ends whose names do not run into each other."""
    named: list[int] = []
    for places in (range(len(ascending)), reversed(range(len(ascending)))):
        some = 0
        for place in places:
            away = np.abs(ascending[named] - ascending[place])
            if some < NAMED and (away >= apart).all() and (apart or not named):
                named.append(place)
                some += 1
    return named


def height(dots: Sequence[dict[str, Any]]) -> int:
    """In pixels: room for the highest stack, and a name above it."""
    return STEP * (max((dot["up"] for dot in dots), default=0) + 2)


def strip(data: str, title: str | None, domain: Sequence[float] | None, tall: int) -> Any:
    """Dots along an axis, from rows as `rows` makes them; tall: as `height` says."""
    across = plots.axis("value", title, domain=domain)
    up = plots.axis("up", None, domain=(-0.8, tall / STEP - 0.8), is_shown=False)
    dots = plots.points(data, across, up, size=DOT, opacity=0.8, where="name")
    style = {"colour": plots.INK, "size": FONT_SIZE, "text": "label"}
    labels = plots.mark("text", data, x=across, y=up, **style)
    return plots.sized(plots.layer(dots, labels), tall)
