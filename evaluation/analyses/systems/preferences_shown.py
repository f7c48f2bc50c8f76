"""How measures of preference are shown: figures and tables of `preferences`."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Figure, Row, Table, number
from evaluation.comparison.correlation import tau_b
from evaluation.comparison.ranks import competition_ranks, rounded
from evaluation.measures.names import Measure

PAPER = "De Beer and Moens, SIGIR 2006"
NAMES = {"rpref": "rpref", "relative": "rpref, relative", "bpref": "bpref"}
PARTITIONS = (2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256)
LINES = 4


class Found(NamedTuple):
    """Values are (topics, runs); partitions: (numbers, runs), means over topics, relative.

    judged: (runs,), the share of listed documents that is judged; ten: of the first ten.
    """

    runs: list[str]
    by: Measure
    usual: Floats
    values: Mapping[str, Floats]
    compared: Mapping[str, systems.Compared]
    partitions: Floats
    judged: Floats
    ten: Floats


def parts(found: Found) -> list[Figure | Table]:
    """All figures and tables."""
    return [
        _scatter(found),
        _convergence(found),
        _agreement(found),
        _partitions(found),
        _systems(found),
    ]


def _scatter(found: Found) -> Figure:
    rows: list[Row] = [
        (NAMES[name], run, x, y)
        for name in ("rpref", "relative")
        for run, x, y in zip(
            found.runs,
            found.usual.mean(axis=0).tolist(),
            found.values[name].mean(axis=0).tolist(),
            strict=True,
        )
    ]
    return Figure(
        "means",
        f"rpref and {found.by}: {_brief(found.compared['rpref'])}; "
        f"relative: {_brief(found.compared['relative'])}",
        "One dot a system. The closer all are to a rising line, the more alike both measures order "
        "systems; look for those far above it: they keep what is judged in order, or retrieve so "
        "little of it that there is little to keep.",
        plots.panels(
            plots.points(
                "systems",
                plots.x("usual", f"mean {found.by.name}", tickCount=3),
                plots.y("value", "mean"),
            ),
            "measure",
            [NAMES["rpref"], NAMES["relative"]],
            columns=2,
            height=156,
        ),
        {
            "systems": [
                {
                    "name": f"{run}: {measure} {number(y)}, {found.by} {number(x)}",
                    "measure": measure,
                    "usual": x,
                    "value": y,
                }
                for measure, run, x, y in rows
            ]
        },
        ("measure", "system", f"mean_{found.by.name.lower()}", "mean"),
        rows,
    )


def _brief(of: systems.Compared) -> str:
    return f"tau {number(of.tau.tau)}" if np.isfinite(of.tau.tau) else f"no tau, as {of.reason}"


def _chosen(found: Found) -> dict[str, int]:
    """Up to four systems, evenly from the first to the last by relative rpref."""
    order = np.argsort(-found.values["relative"].mean(axis=0).round(12), kind="stable")
    places = np.unique(np.linspace(0, len(order) - 1, LINES).round().astype(int))
    return {found.runs[order[place]]: int(order[place]) for place in places}


def _convergence(found: Found) -> Figure:
    chosen = _chosen(found)
    whole = found.values["relative"].mean(axis=0)
    rows: list[Row] = [
        (run, n, float(found.partitions[step, place]))
        for run, place in chosen.items()
        for step, n in enumerate(PARTITIONS)
    ]
    ends: list[Row] = [(run, "rpref", float(whole[place])) for run, place in chosen.items()]
    across = plots.x("n", "partitions", **plots.decades(PARTITIONS[0], PARTITIONS[-1]))
    up = plots.y("score", "mean score")
    off = max(abs(score - whole[chosen[run]]) for run, n, score in rows if n == PARTITIONS[0])
    return Figure(
        "partitions",
        f"Scores by the number of partitions: with two they are off by up to {number(off)}",
        "Worth is cut into ever more steps of equal width, from two, where it is yes or no, on; "
        "horizontal lines are rpref, of worth as it is. Look from how many on scores stay near "
        "them. They need not come nearer with every step. Normalised relatively, as in the paper.",
        plots.sized(
            plots.alt.layer(
                plots.rule_at("ends", along=up),
                plots.some_lines("steps", across, up, list(chosen)),
            )
        ),
        {
            "steps": [
                {"of": run, "n": n, "score": y, "name": f"{run}: {number(y)} in {n} partitions"}
                for run, n, y in rows
            ],
            "ends": [{"score": y} for _, _, y in ends],
        },
        ("system", "partitions", "mean_score"),
        [*rows, *ends],
        f"Figure 1 of {PAPER}",
    )


def _agreement(found: Found) -> Table:
    rows: list[Row] = []
    for name, of in found.compared.items():
        sizes = int(of.first.sum()), int(of.second.sum()), of.both, of.overlap
        rows.append((NAMES[name], float(found.values[name].mean()), *of.tau[:3], *sizes))
    reasons = sorted({of.reason for of in found.compared.values()} - {""})
    return Table(
        "agreement",
        f"Order of systems and top set, by {found.by} and by measures of preference",
        ("measure", "mean", "tau", "low", "high", "top_set", "top_set_by_it", "in_both", "overlap"),
        rows,
        (
            f"tau: Kendall's tau-b of system means with those by {found.by}, with its 95% "
            "interval. Top set: the best system and all that a two-sided Wilcoxon signed-rank test "
            "over topics does not tell from it (p ≥ 0.05). Overlap: the share of the top set by "
            f"{found.by} that is in both.",
            *systems.too_few(len(found.usual)),
            *(f"A dash: {reason}." for reason in reasons),
        ),
    )


def _partitions(found: Found) -> Table:
    whole = found.values["relative"].mean(axis=0)
    return Table(
        "by-partitions",
        "From two partitions of worth to worth as it is",
        ("partitions", "mean_score", "largest_distance", "tau"),
        [
            (
                n,
                float(of.mean()),
                float(np.abs(of - whole).max()),
                tau_b(rounded(of), rounded(whole)),
            )
            for n, of in zip(PARTITIONS, found.partitions, strict=True)
        ],
        (
            "Relative scores. largest_distance: the most that a system's mean is off that by "
            "rpref; tau: Kendall's tau-b of the order of systems with that by rpref; a dash: all "
            "systems are equal, or there is one alone.",
        ),
        f"Figure 1 of {PAPER}",
    )


def _systems(found: Found) -> Table:
    means = {
        found.by.name.lower(): found.usual.mean(axis=0),
        **{name: of.mean(axis=0) for name, of in found.values.items()},
    }
    ranks = {name: competition_ranks(of) for name, of in means.items()}
    return Table(
        "systems",
        "All systems by measures of preference",
        (
            "system",
            *(column for name in means for column in (name, f"rank_by_{name}")),
            *("judged_at_10", "judged"),
        ),
        [
            (
                found.runs[run],
                *(v for name in means for v in (float(means[name][run]), int(ranks[name][run]))),
                *(float(found.ten[run]), float(found.judged[run])),
            )
            for run in np.argsort(ranks["rpref"], kind="stable").tolist()
        ],
        (
            "relative: rpref, each document's loss over the number of judged documents above it. "
            "judged: share of the documents in the lists that are judged; at 10: of the first ten. "
            "A dash: no list.",
        ),
    )
