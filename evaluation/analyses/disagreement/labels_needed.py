"""The chance p of the top level, from few and from many other labels of a document.

Demeester and others (WSDM 2014), section 3.2: Figure 1. A part of the analysis `prediction`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, drawn, number
from evaluation.study.levels import columns, source
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.prediction import p_by_labels

REPEATS = 50  # draws, as in the paper


class Chance(NamedTuple):
    """p of a level from so many other labels of each document, over draws."""

    level: str
    other_labels: int
    p: float
    sd: float

    @property
    def low(self) -> float:
        return self.p - self.sd

    @property
    def high(self) -> float:
        return self.p + self.sd


@dataclass(frozen=True)
class Found:
    """The chances by level, then by number of other labels: from 1 to `most`."""

    names: Sequence[str]  # of the levels
    chances: list[Chance]
    most: int
    seed: int


def compute(many: Opinions, least: int, names: Sequence[str], seed: int) -> Found:
    """many: opinions on documents with `least` labels or more."""
    by_labels = p_by_labels(many, least, REPEATS, seed=seed)
    most = len(by_labels.mean)
    chances = [
        Chance(
            name, others, *(float(of[others - 1, level]) for of in (by_labels.mean, by_labels.sd))
        )
        for level, name in enumerate(names)
        for others in range(1, most + 1)
    ]
    return Found(names, chances, most, by_labels.seed)


def says(found: Found) -> list[str]:
    """How far p strays when it is from two labels of a document, and from all."""
    below = found.names[-2]
    chances = [row for row in found.chances if row.level == below]
    few, most = chances[0], chances[-1]
    if np.isnan(few.p + most.p):
        return []
    return [
        f"From two labels of each document the chance after {below} is {few.p:.3f} in the mean, "
        f"and {most.p:.3f} from {found.most + 1}; from one draw to another it strays by "
        f"{few.sd:.3f} and {most.sd:.3f} (standard deviation "
        f"of {REPEATS} draws, seed {found.seed})."
    ]


def figure(found: Found) -> Figure:
    rows = [row for row in found.chances if not np.isnan(row.sd)]
    order = [name for name in reversed(found.names) if name in {row.level for row in rows}]
    means = [row.p for row in rows]
    chart = _chart(found.most, max(row.high for row in rows) * 1.05 + 0.01)
    return Figure(
        "by-labels",
        f"The chance that another says {found.names[-1]}, from 1 to {found.most} other labels",
        f"From 1 to {found.most} other labels of each document, with one standard deviation of "
        f"{REPEATS} draws.",
        plots.panels(chart, "level", order, columns=columns(order), height=150),
        {"p": drawn(rows, "level p low high", _tooltip, others="other_labels")},
        Chance,
        rows,
        source("Figure 1"),
        reading="Each panel has a level, its dots the chance that another says the top level. All "
        "dots of a level are expected at the same height: look for how much the bars shrink, and "
        "whether levels can be told apart (their means are up to "
        f"{number(max(means) - min(means), 2)} apart).",
    )


def _tooltip(row: Chance) -> str:
    return f"{row.level}, {row.other_labels} other labels: {row.p:.3f} ± {row.sd:.3f}"


def _chart(most: int, top: float) -> plots.Plot:
    title = "chance of the top level"
    across = plots.axis("others", "other labels", **plots.whole(1, most))
    low = plots.axis("low", title, domain=(0, top))
    return plots.layer(
        plots.mark("rule", "p", x=across, y=low, y2="high", width=2),
        plots.points("p", across, plots.axis("p", title, domain=(0, top)), size=50, opacity=1),
    )
