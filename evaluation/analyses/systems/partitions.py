"""How many steps of worth it takes until scores are those of rpref.

De Beer and Moens (SIGIR 2006), section 3, Figure 1. A part of the analysis `preferences`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, Table, Tell, correlation, drawn, number
from evaluation.study.data import Floats
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.ranks import rounded
from magnitudes.measures.lists import Lists
from magnitudes.measures.names import parse

PARTITIONS = (2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256)
LINES = 4  # systems that are drawn
SOURCE = "Figure 1 of De Beer and Moens, SIGIR 2006"


class Score(NamedTuple):
    """A system's mean score with so many partitions, or by rpref itself."""

    system: str
    partitions: int | str
    mean_score: float


class Distance(NamedTuple):
    """How far the means of systems with so many partitions are from those by rpref."""

    partitions: int
    mean_score: float
    largest_distance: float
    tau: float


@dataclass(frozen=True)
class Found:
    """Means over topics: with each number of partitions, (numbers, runs), and by rpref, (runs,)."""

    runs: list[str]
    means: Floats
    whole: Floats

    @property
    def distances(self) -> list[Distance]:
        return [
            Distance(
                n,
                float(means.mean()),
                float(np.abs(means - self.whole).max()),
                tau_b(rounded(means), rounded(self.whole)),
            )
            for n, means in zip(PARTITIONS, self.means, strict=True)
        ]


def compute(lists: Sequence[Lists], runs: list[str], whole: Floats, tell: Tell) -> Found:
    """lists: one entry a topic; whole: the means of systems by relative rpref."""
    means = []
    for done, n in enumerate(PARTITIONS, 1):
        measure = parse(f"rpref(norm='relative', partitions={n})")
        means.append(np.mean([of_topic.measure(measure).values for of_topic in lists], axis=0))
        tell(done / len(PARTITIONS))
    return Found(runs, np.stack(means), whole)


def says(found: Found) -> str:
    two, finest = found.distances[0], found.distances[-1]
    order = f"a tau of {correlation(two.tau, 3)}" if np.isfinite(two.tau) else "no tau"
    return (
        "With two partitions of worth the relative scores are off those of rpref by up to "
        f"{number(two.largest_distance)}, with {finest.partitions} by "
        f"{number(finest.largest_distance)}; by two partitions the order of systems has {order} "
        "with that by rpref."
    )


def figure(found: Found) -> Figure:
    places = _drawn_systems(found)
    names = [found.runs[place] for place in places]
    rows = [
        Score(name, n, float(means[place]))
        for name, place in zip(names, places, strict=True)
        for n, means in zip(PARTITIONS, found.means, strict=True)
    ]
    ends = [Score(found.runs[place], "rpref", float(found.whole[place])) for place in places]
    off = float(np.abs(found.means[0] - found.whole)[places].max())
    across = plots.axis("n", "partitions", **plots.decades(PARTITIONS[0], PARTITIONS[-1]))
    up = plots.axis("score", "mean score")
    lines = plots.some_lines("steps", across, up, names)
    return Figure(
        "partitions",
        f"Scores by the number of partitions: with two they are off by up to {number(off)}",
        "Worth is cut into ever more steps of equal width, from two, where it is yes or no, on; "
        "horizontal lines are rpref, of worth as it is. Look from how many on scores stay near "
        "them. They need not come nearer with every step. Normalised relatively, as in the paper.",
        plots.sized(plots.layer(plots.rule_at("ends", y=up), lines)),
        {
            "steps": drawn(rows, "", _tooltip, of="system", n="partitions", score="mean_score"),
            "ends": drawn(ends, score="mean_score"),
        },
        Score,
        [*rows, *ends],
        SOURCE,
    )


def _drawn_systems(found: Found) -> list[int]:
    """The places of a few systems, evenly from the first to the last by relative rpref."""
    order = np.argsort(-rounded(found.whole), kind="stable")
    steps = np.unique(np.linspace(0, len(order) - 1, LINES).round().astype(int))
    return [int(place) for place in order[steps]]


def _tooltip(row: Score) -> str:
    return f"{row.system}: {number(row.mean_score)} in {row.partitions} partitions"


def table(found: Found) -> Table:
    return Table(
        "by-partitions",
        "From two partitions of worth to worth as it is",
        Distance,
        found.distances,
        (
            "Relative scores. Largest distance: the most that a system's mean is off that by "
            "rpref. Tau: Kendall's tau-b of the order of systems with that by rpref. A dash: all "
            "systems are equal, or there is one alone.",
        ),
        SOURCE,
    )
