"""The chance p of the top level, from few and from many other labels of a document.

Demeester and others (WSDM 2014), section 3.2: Figure 1.
"""

from collections.abc import Sequence

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.parts import Figure, Row, number
from evaluation.analyses.predicted_weights import REPEATS
from evaluation.gains.prediction import Sampled


def says(found: Sampled, least: int, names: Sequence[str]) -> list[str]:
    """How far p from two labels strays, and from `least`."""
    below = len(names) - 2
    few, most = found.mean[[0, -1], below]
    if np.isnan(few + most):
        return []
    return [
        f"From two labels of each document p after {names[below]} is {few:.3f} in the mean, "
        f"and {most:.3f} from {least}; from one draw to another it strays by "
        f"{found.sd[0, below]:.3f} and {found.sd[-1, below]:.3f} (standard deviation "
        f"of {REPEATS} draws, seed {found.seed})."
    ]


def figure(found: Sampled, names: Sequence[str]) -> Figure:
    rows: list[Row] = [
        (name, others, float(found.mean[others - 1, level]), float(found.sd[others - 1, level]))
        for level, name in enumerate(names)
        for others in range(1, len(found.mean) + 1)
        if not np.isnan(found.sd[others - 1, level])
    ]
    order = [name for name in reversed(names) if name in {row[0] for row in rows}]
    title = "chance of the top level"
    across = plots.x("others", "other labels", **plots.whole(1, len(found.mean)))
    top = max(row[2] + row[3] for row in rows) * 1.05 + 0.01
    spans = plots.on("p").mark_rule(color=plots.MARK, strokeWidth=2, aria=False)
    chart = plots.alt.layer(
        spans.encode(x=across, y=plots.y("low", title, domain=(0, top)), y2="high:Q"),
        plots.points("p", across, plots.y("p", title, domain=(0, top)), size=50, opacity=1),
    )
    apart = max(row[2] for row in rows) - min(row[2] for row in rows)
    return Figure(
        "by-labels",
        "One other label of each document tells p as well as "
        f"{len(found.mean)} do, but less surely",
        f"p of a level, under its name, from 1 to {len(found.mean)} other labels of each document, "
        f"with one standard deviation of {REPEATS} draws. All dots of a level are expected at the "
        "same height: look for how much the bars shrink, and whether levels can be told apart "
        f"(their means are up to {number(apart, 2)} apart).",
        plots.panels(chart, "level", order, columns=in_levels.columns(order), height=150),
        {
            "p": [
                {
                    "level": level,
                    "others": others,
                    "p": p,
                    "low": p - sd,
                    "high": p + sd,
                    "name": f"{level}, {others} other labels: {p:.3f} ± {sd:.3f}",
                }
                for level, others, p, sd in rows
            ]
        },
        ("level", "other_labels", "p", "sd"),
        rows,
        in_levels.source("Figure 1"),
    )
