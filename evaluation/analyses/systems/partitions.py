"""How many steps of worth it takes until scores are those of rpref.

De Beer and Moens (SIGIR 2006), section 3, Figure 1. A part of the analysis `preferences`.
"""

from collections.abc import Sequence

import numpy as np

from evaluation.analyses.analysis import OnProgress, tracked
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Table, correlation, number
from evaluation.study.data import Floats
from magnitudes.comparison.correlation import tau_many
from magnitudes.comparison.ranks import rounded
from magnitudes.measures.lists import Lists
from magnitudes.measures.names import parse

PARTITIONS = (2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256)
LINES = 4  # systems that are drawn
SOURCE = "Figure 1 of De Beer and Moens, SIGIR 2006"


def compute(lists: Sequence[Lists], on_progress: OnProgress) -> Floats:
    """Means of systems by each number of partitions, (numbers, runs); lists: one entry a topic."""
    means = []
    for n in tracked(PARTITIONS, on_progress):
        measure = parse(f"rpref(norm='relative', partitions={n})")
        means.append(np.mean([of_topic.measure(measure).values for of_topic in lists], axis=0))
    return np.stack(means)


def distances(means: Floats, whole: Floats) -> Frame:
    """How far the means with each number are from those by relative rpref, (runs,)."""
    return Frame.of(
        partitions=PARTITIONS,
        mean_score=means.mean(axis=1),
        largest_distance=np.abs(means - whole).max(axis=1),
        tau=tau_many(whole, means),
    )


def sentence(distances: Frame) -> str:
    two, finest = distances.where([0, -1])
    order = f"a tau of {correlation(two.tau, 3)}" if np.isfinite(two.tau) else "no tau"
    return (
        "With two partitions of worth the relative scores are off those of rpref by up to "
        f"{number(two.largest_distance)}, with {finest.partitions} by "
        f"{number(finest.largest_distance)}; by two partitions the order of systems has {order} "
        "with that by rpref."
    )


def figure(systems: Frame, means: Floats) -> Figure:
    """means: with each number of partitions; those by rpref are the systems' `relative`."""
    whole = systems["relative"]
    # Systems evenly from the first to the last by relative rpref.
    evenly = np.unique(np.linspace(0, len(whole) - 1, LINES).round().astype(int))
    places = np.argsort(-rounded(whole), kind="stable")[evenly]
    names = systems["system"][places].tolist()
    columns = "system partitions mean_score"
    rows = [
        (name, n, mean)
        for name, of_system in zip(names, means.T[places].tolist(), strict=True)
        for n, mean in zip(PARTITIONS, of_system, strict=True)
    ]
    ends = [(name, "rpref", mean) for name, mean in zip(names, whole[places].tolist(), strict=True)]
    steps, off = Frame.of_rows(columns, rows), float(np.abs(means[0] - whole).max())
    across = plots.axis("partitions", "partitions", **plots.decades(PARTITIONS[0], PARTITIONS[-1]))
    up = plots.axis("mean_score", "mean score")
    lines = plots.some_lines(ROWS, across, up, names)
    return Frame.of_rows(columns, [*rows, *ends]).figure(
        "partitions",
        f"Scores by the number of partitions: with two they are off by up to {number(off)}",
        "Worth is cut into ever more steps of equal width, from two, where it is yes or no, on; "
        "horizontal lines are rpref, of worth as it is. Look from how many on scores stay near "
        "them. They need not come nearer with every step. Normalised relatively, as in the paper.",
        plots.sized(plots.layer(plots.rule_at("ends", y=up), lines)),
        data={
            ROWS: steps.with_columns(of=steps["system"]).marks(
                "{system}: {mean_score} in {partitions} partitions"
            ),
            "ends": Frame.of_rows(columns, ends).marks(),
        },
        source=SOURCE,
    )


def table(distances: Frame) -> Table:
    return distances.table(
        "by-partitions",
        "From two partitions of worth to worth as it is",
        "Relative scores. Largest distance: the most that a system's mean is off that by "
        "rpref. Tau: Kendall's tau-b of the order of systems with that by rpref. A dash: all "
        "systems are equal, or there is one alone.",
        source=SOURCE,
    )
