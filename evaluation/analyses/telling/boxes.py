"""The rows of box plots: one for each box, and one for each outlier that is drawn."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evaluation.analyses.telling.parts import number
from evaluation.spread.spread import boxes

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

    >>> one, = rows([1, 10, 100], [0, 0, 0], [{"level": "2", "name": "level 2"}], log=True)
    >>> one["name"], round(one["median"])
    ('level 2: median 10, n = 3', 10)
    """
    given = np.asarray(values, dtype=np.float64)
    most = max(2, MOST // max(len(about), 1))
    back: Callable[[Any], Any] = np.exp if log else np.asarray
    plain = boxes(given, groups, len(about), most)
    found = boxes(np.log(given), groups, len(about), most) if log else plain
    # The middle of two quartiles or medians is that of the values, on whatever scale it is drawn.
    ends = {
        "low": np.minimum(back(found.low), plain.lower),
        "q1": plain.lower,
        "median": plain.median,
        "q3": plain.upper,
        "high": np.maximum(back(found.high), plain.upper),
        "mean": back(found.mean),
    }
    made = []
    for group in np.flatnonzero(found.counts).tolist():
        box = {name: float(end[group]) for name, end in ends.items()}
        n = int(found.counts[group])
        name = f"{about[group].get('name', '')}: median {number(box['median'])}, n = {n:,}"
        made.append({**about[group], **box, "n": n, "name": name})
    far = zip(found.drawn_groups.tolist(), np.asarray(back(found.drawn)).tolist(), strict=True)
    made += [
        {**about[group], "value": value, "name": f"{about[group].get('name', '')}: {number(value)}"}
        for group, value in far
    ]
    return made
