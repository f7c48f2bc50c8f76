"""The rows of box plots, as `plots.boxes` takes them: one for each box, one for each outlier."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.analyses.telling.parts import number
from evaluation.spread.spread import Boxes, boxes

MOST = 1000  # outliers that are drawn, of all boxes together


def rows(
    values: ArrayLike,
    groups: ArrayLike,
    about: Sequence[dict[str, Any]],
    *,
    log: bool = False,
) -> list[dict[str, Any]]:
    """A box for each group that has a value. `about`: of each group, what its rows say besides.

    With `log`, whiskers reach 1.5 times the height of the box as it looks on a logarithmic scale,
    and `mean` is the geometric mean.

    >>> box, = rows([1, 10, 100], [0, 0, 0], [{"level": "2", "name": "level 2"}], log=True)
    >>> box["name"], round(box["median"])
    ('level 2: median 10, n = 3', 10)
    """
    numbers = np.asarray(values, dtype=np.float64)
    most = max(2, MOST // max(len(about), 1))
    plain = boxes(numbers, groups, len(about), most)
    scaled = boxes(np.log(numbers), groups, len(about), most) if log else plain
    back: Callable[[Any], Any] = np.exp if log else np.asarray
    # The middle of two quartiles or medians is that of the values, on whatever scale it is drawn.
    ends = {
        "low": np.minimum(back(scaled.low), plain.lower),
        "q1": plain.lower,
        "median": plain.median,
        "q3": plain.upper,
        "high": np.maximum(back(scaled.high), plain.upper),
        "mean": back(scaled.mean),
    }
    names = [group.get("name", "") for group in about]
    drawn = []
    for group in np.flatnonzero(scaled.counts).tolist():
        box = {name: float(end[group]) for name, end in ends.items()}
        n = int(scaled.counts[group])
        label = f"{names[group]}: median {number(box['median'])}, n = {n:,}"
        drawn.append({**about[group], **box, "n": n, "name": label})
    outliers = np.asarray(back(scaled.drawn)).tolist()
    drawn += [
        {**about[group], "value": value, "name": f"{names[group]}: {number(value)}"}
        for group, value in zip(scaled.drawn_groups.tolist(), outliers, strict=True)
    ]
    return drawn


def end_for(medians: NDArray[np.float64], limit: float) -> float:
    """Where clipped boxes end: at a limit, or at twice the largest median where that is more."""
    return max(limit, 2 * float(np.nanmax(medians, initial=0.0)))


def clipped_rows(computed: Boxes, names: Sequence[str], end: float) -> list[dict[str, Any]]:
    """The rows of boxes that are drawn up to an end, by `group`: their names, as `label` has them.

    Boxes without a value are left out.
    """
    edges = {"low": computed.low, "q1": computed.lower, "q3": computed.upper, "high": computed.high}
    heads = [name.partition("|")[0] for name in names]
    drawn: list[dict[str, Any]] = []
    for place in np.flatnonzero(computed.counts).tolist():
        median = float(computed.median[place])
        drawn.append(
            {
                "group": names[place],
                "name": f"{heads[place]}: median {number(median)}, n = {computed.counts[place]:,}",
                "median": median,
                **{name: min(float(edge[place]), end) for name, edge in edges.items()},
            }
        )
    drawn += [
        {"group": names[place], "name": f"{heads[place]}: {number(value)}", "value": value}
        for value, place in zip(
            computed.drawn.tolist(), computed.drawn_groups.tolist(), strict=True
        )
        if value <= end
    ]
    return drawn


def label(name: str, n: int, above: int, limit: float) -> str:
    """What stands below a box, its lines divided as `plots.category` takes them.

    above: how many of the n values lie above the paper's limit.
    """
    return f"{name}|n {n:,}|> {limit:g}: {above:,}"
