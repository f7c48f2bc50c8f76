"""How chances depend on topics, lists and ranks, as it is shown: a part of `robustness`."""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import DEPTH
from evaluation.analyses.dependence import DRAWS, TOP, Dependence
from evaluation.analyses.parts import Figure, Row, Table, number


def says(found: Dependence, names: Sequence[str], counted: str) -> Iterator[str]:
    level = len(names) - 2
    of = {group.name: float(p) for group, p in zip(found.groups, found.p[:, level], strict=True)}
    less, more = (of.get(f"topics, {how} agreement", np.nan) for how in ("less", "more"))
    if not np.isnan(less + more):
        yield (
            f"After {names[level]} another says {names[-1]} with a chance of {number(less)} in the "
            f"half of the topics whose judges agree least, and of {number(more)} in the other; "
            f"halves are by the share of equal labels, from the same opinions ({counted})."
        )
    good, other = (of.get(f"{kind} lists, top {DEPTH}", np.nan) for kind in ("good", "other"))
    if not np.isnan(good + other):
        yield (
            f"In lists whose first {DEPTH} have a document with {names[-1]} as its first label it "
            f"is {number(good)}, and {number(other)} in others (the paper: .23 and .06 for its "
            "level below the top)."
        )
    best = of.get(f"good lists, top {TOP}", np.nan)
    if not np.isnan(best + good):
        yield (
            f"By the first {TOP} ranks of these lists it is {number(best)}, by the first {DEPTH} "
            f"{number(good)} (the paper: .25 and .23)."
        )


def parts(found: Dependence, names: Sequence[str], seed: int) -> list[Figure | Table]:
    """All figures and tables."""
    return [*_figure(found, names), _table(found, names, seed)]


def _figure(found: Dependence, names: Sequence[str]) -> Iterator[Figure]:
    top = len(names) - 1
    levels = [level for level in (top - 1, top - 2) if level > 0] or [0]
    rows: list[Row] = [
        (
            group.name,
            names[level],
            *(float(of[place, level]) for of in (found.p, found.low, found.high)),
        )
        for place, group in enumerate(found.groups)
        for level in levels
        if not np.isnan(found.p[place, level])
    ]
    if not rows:
        return
    styles = (("circle", plots.MARK), ("diamond", plots.OTHER))
    kinds = {names[level]: style for level, style in zip(levels, styles, strict=False)}
    order = list(dict.fromkeys(row[0] for row in rows))
    most = float(np.nanmax([(row[2], row[4]) for row in rows]))
    least, greatest = (pick(rows, key=lambda row: row[2]) for pick in (min, max))
    yield Figure(
        "groups",
        f"The chance goes from {number(least[2])} ({least[1]}, {least[0]}) to "
        f"{number(greatest[2])} ({greatest[1]}, {greatest[0]})",
        "One dot a level and group, with its 95% interval over the group's topics, where there are "
        f"{in_levels.ENOUGH_TOPICS} or more. Good lists have the top level, by a document's first "
        f"label, in their first {DEPTH}. If a group lies far from the others, weights from all "
        "documents do not hold for it.",
        plots.sized(
            plots.intervals_of_kinds(
                "groups",
                "p",
                "chance of the top level",
                plots.down("group", order),
                "level",
                kinds,
                domain=(-0.02 * most, min(1.0, 1.05 * most + 0.01)),
                format="%",
            ),
            40 * len(order),
            plots.WIDTH - 170,
        ),
        {
            "groups": [
                {
                    "group": group,
                    "level": level,
                    "p": value,
                    **plots.ends(value, low, high),
                    "name": f"{group}, after {level}: {value:.3f}",
                }
                for group, level, value, low, high in rows
            ]
        },
        ("group", "level", "p", "low", "high"),
        rows,
        in_levels.source("Table 3"),
    )


def _table(found: Dependence, names: Sequence[str], seed: int) -> Table:
    rows: list[Row] = [
        (
            group.name,
            group.topics,
            group.lists,
            name,
            int(found.observations[place, level]),
            *(float(of[place, level]) for of in (found.p, found.low, found.high)),
        )
        for place, group in enumerate(found.groups)
        for level, name in enumerate(names)
    ]
    return Table(
        "dependence",
        f"The chance that another says {names[-1]}, by topics, lists and ranks",
        ("group", "topics", "lists", "level", "labels", "p", "low", "high"),
        rows,
        (
            "topics, less agreement and more agreement: halves by the share of equal labels of the "
            f"same document. good lists: those whose first {DEPTH} have the top level, by a "
            f"document's first label, at least once; their first {TOP} or {DEPTH} ranks count. "
            "(By all labels p would be 0 in other lists, whatever judges say.) In lists a document "
            f"counts as often as it is listed. low, high: 95% of {DRAWS:,} draws of the group's "
            f"topics, seed {seed}.",
            "A dash: no document of the group with two judges has the level, there are fewer than "
            f"{in_levels.ENOUGH_TOPICS} topics for an interval, or the group is not one of lists.",
        ),
        in_levels.source("Table 3"),
    )
