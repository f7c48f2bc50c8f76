"""How measures of one judge by another are shown: a part of `robustness`."""

from collections.abc import Iterator, Mapping

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.judge_by_judge import FIRST, PAIR, Judged
from evaluation.analyses.parts import Figure, Row, Table, amount, number
from trec.words import count

OF = {PAIR: "the two judges who share most documents", FIRST: "two labels of each document"}
# Mean and standard deviation (Table 2).
PAPER = {
    "AP": (0.48, 0.28),
    "GAP(1/2)": (0.65, 0.18),
    "GAP(1/3)": (0.69, 0.16),
    "GAP(1/4)": (0.71, 0.16),
    "nDCG(exp, zipf)": (0.70, 0.23),
    "nDCG(exp, log2)": (0.86, 0.09),
    "nDCG(1/2, log2)": (0.84, 0.11),
    "nDCG(1/3, log2)": (0.87, 0.09),
    "nDCG(1/4, log2)": (0.89, 0.07),
}


def says(found: Mapping[str, Judged], fault: str) -> Iterator[str]:
    for name, one in found.items():
        known = {of: mean for of, mean in one.means().items() if not np.isnan(mean)}
        best, worst = (pick(known, key=lambda of: known[of]) for pick in (max, min))
        yield (
            f"One judge's order, measured by another's labels ({OF[name]}, "
            f"{amount(one.shared, 'document')} in the mean of "
            f"{count(len(one.found.topics), 'topic')}): {worst} is {number(known[worst])} in the "
            f"mean, and {best} {number(known[best])}."
            + (
                f" In {count(one.empty, 'topic')} the reference has no document of the top level, "
                "and AP is 0."
                if one.empty
                else ""
            )
        )
    if found:
        yield (
            "The paper has AP .48, GAP(1/3) .69 and nDCG(1/3, log2) .87, of two experts who "
            "judged all results of 15 topics."
        )
    if fault:
        yield f"Measures of one judge by another cannot be had: {fault}."


def parts(found: Mapping[str, Judged]) -> list[Figure | Table]:
    """All figures and tables."""
    return [_figure(found), _table(found)] if found else []


def _figure(found: Mapping[str, Judged]) -> Figure:
    rows: list[Row] = [
        (name, of, mean, sd)
        for of, one in found.items()
        for name, mean, sd in one.rows()
        if not np.isnan(mean)
    ]
    kinds = {PAIR: ("circle", plots.MARK), FIRST: ("diamond", plots.OTHER)}
    order = list(dict.fromkeys(row[0] for row in rows))
    main = max(found, key=lambda of: found[of].shared)
    lowest = min((row for row in rows if row[1] == main), key=lambda row: row[2])
    return Figure(
        "measures",
        f"By {lowest[0]} one judge's order is worth {number(lowest[2])} to another",
        "The mean of each measure over topics, with one standard deviation as far as it lies "
        "within 0 and 1, if documents are ordered by the second judge's levels and measured by the "
        "first one's. All would be 1 if judges agreed. Look for measures that are high and vary "
        "little: they depend least on who judged.",
        plots.sized(
            plots.intervals_of_kinds(
                "measures",
                "mean",
                "mean over topics",
                plots.down("measure", order),
                "of",
                kinds,
                domain=(0, 1),
            ),
            30 * len(order),
            plots.WIDTH - 130,
        ),
        {
            "measures": [
                {
                    "measure": name,
                    "of": of,
                    "mean": mean,
                    "low": max(mean - half, 0.0),
                    "high": min(mean + half, 1.0),
                    "name": f"{name}, {of}: {mean:.2f} ± {half:.2f}",
                }
                for name, of, mean, sd in rows
                for half in [0.0 if np.isnan(sd) else sd]
            ]
        },
        ("measure", "labels_of", "mean", "sd"),
        rows,
        in_levels.source("Table 2"),
    )


def _table(found: Mapping[str, Judged]) -> Table:
    rows: list[Row] = [
        (name, of, len(one.found.topics), one.empty, mean, sd, *PAPER.get(name, (None, None)))
        for of, one in found.items()
        for name, mean, sd in one.rows()
    ]
    return Table(
        "robustness",
        "One judge's order, measured by another's labels",
        (
            *("measure", "labels_of", "topics", "without_top_level", "mean", "sd"),
            *("paper's_mean", "paper's_sd"),
        ),
        rows,
        (
            f"{PAIR}: those who share most documents of a topic. {FIRST}: the first label of each "
            "document, and the next one by somebody else. The first judge's labels are the "
            "reference, the second judge's levels the order; documents of one level stay in the "
            "order of the pool. AP: at the top level. exp: gains 2^level - 1; 1/N: weights of the "
            "other topics. log2, zipf: discounts 1 / log2(rank + 1) and 1 / rank. without top "
            "level: topics in which the reference has no document of it, where AP is 0.",
            "A dash: the paper does not have the measure, a reference has a level that no other "
            "topic has, or there is no deviation.",
        ),
        in_levels.source("Table 2"),
    )
