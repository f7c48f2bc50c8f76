"""The rows of box plots, as `plots.boxes` takes them: one for each box, one for each outlier."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.presentation.parts import number
from magnitudes.spread.spread import Boxes, boxes

MAX_OUTLIERS = 1000  # outliers that are drawn, of all boxes together
AXIS_PADDING = 1.15  # times, beyond the whiskers of boxes of ratios


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
    most = max(2, MAX_OUTLIERS // max(len(about), 1))
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
    outliers = zip(
        np.asarray(back(scaled.drawn)).tolist(), scaled.drawn_groups.tolist(), strict=True
    )
    return _drawn(ends, scaled.counts, outliers, about)


def _drawn(
    ends: Mapping[str, NDArray[Any]],
    counts: NDArray[np.int64],
    outliers: Iterable[tuple[float, int]],
    about: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """The rows of boxes with a value, and those of outliers, each with its group."""
    drawn = []
    for group in np.flatnonzero(counts).tolist():
        box = {name: float(end[group]) for name, end in ends.items()}
        n = int(counts[group])
        label = f"{about[group].get('name', '')}: median {number(box['median'])}, n = {n:,}"
        drawn.append({**about[group], **box, "n": n, "name": label})
    drawn += [
        {**about[group], "value": value, "name": f"{about[group].get('name', '')}: {number(value)}"}
        for value, group in outliers
    ]
    return drawn


def ends(computed: Boxes, *besides: float) -> tuple[float, float]:
    """From where to where an axis of ratios goes, so that boxes and whiskers are whole.

    besides: what else is to be seen.
    """
    used = computed.counts > 0
    seen = [*computed.low[used].tolist(), *computed.high[used].tolist(), *besides]
    return min(seen) / AXIS_PADDING, max(seen) * AXIS_PADDING


def columns(computed: Boxes) -> dict[str, NDArray[np.float64]]:
    """Quartiles, ends of whiskers, median and mean of all boxes, by name."""
    return {
        "low": computed.low,
        "q1": computed.lower,
        "median": computed.median,
        "q3": computed.upper,
        "high": computed.high,
        "mean": computed.mean,
    }


def whole_rows(
    computed: Boxes, names: Sequence[str], ends: tuple[float, float], *, means: bool = False
) -> list[dict[str, Any]]:
    """The rows of boxes with a value, by `group`: their names, as `label` has them.

    Outliers are drawn between both ends.
    """
    whole = columns(computed)
    if not means:
        del whole["mean"]
    about = [{"group": name, "name": name.partition("|")[0]} for name in names]
    outliers = zip(computed.drawn.tolist(), computed.drawn_groups.tolist(), strict=True)
    inside = (outlier for outlier in outliers if ends[0] <= outlier[0] <= ends[1])
    return _drawn(whole, computed.counts, inside, about)


def label(name: str, n: int, above: int, limit: float) -> str:
    """What stands below a box, its lines divided as `plots.category` takes them.

    above: how many of the n values lie above the paper's limit.
    """
    return f"{name}|n {n:,}|> {limit:g}: {above:,}"
