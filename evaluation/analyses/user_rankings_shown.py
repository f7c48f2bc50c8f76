"""How systems by chances are shown: figures and tables of `user_rankings`."""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses import in_levels, plots, systems
from evaluation.analyses.chance_orders import DEFAULT, LABELS, MEASURES, OWN, SHORT, SHOWN, Ranked
from evaluation.analyses.data import StudyData
from evaluation.analyses.parts import Figure, Row, Table, number
from evaluation.comparison.ranks import competition_ranks


def parts(data: StudyData, found: Sequence[Ranked]) -> list[Figure | Table]:
    """All figures and tables."""
    shown = [one for one in found if (one.users, one.against) == (SHOWN, DEFAULT)]
    return [
        *_taus(found),
        _scatter(data, shown[0]),
        _orders(data, found),
        _systems(data, shown),
    ]


def _taus(found: Sequence[Ranked]) -> Iterator[Figure]:
    rows: list[Row] = [
        (f"{SHORT[one.measure]}, {one.users}", one.against, *map(float, one.compared.tau[:3]))
        for by in MEASURES
        for one in found
        if one.measure == by and not np.isnan(one.tau)
    ]
    if not rows:
        return
    kinds = {DEFAULT: ("circle", plots.MARK), LABELS: ("diamond", plots.OTHER)}
    kinds = {name: style for name, style in kinds.items() if name in {row[1] for row in rows}}
    order = list(dict.fromkeys(row[0] for row in rows))
    least = min((row for row in rows if row[1] == DEFAULT), key=lambda row: row[2], default=rows[0])
    yield Figure(
        "tau",
        "Chances as gains leave the order of systems as it is"
        if least[2] >= 1 - 1e-12
        else f"Chances as gains change the order most by {least[0]}: tau {number(least[2])}",
        "Tau of the order of systems by P(1/2), P(1/3) and P(1/4) with that by other gains, with "
        "its 95% interval; own: of the study's own gains with reference labels, to hold the others "
        "against. Look for dots far to the left: there it matters what lower levels are worth.",
        plots.sized(
            plots.intervals_of_kinds(
                "taus", "tau", "Kendall's tau", plots.down("by", order), "against", kinds
            ),
            28 * len(order),
            plots.WIDTH - 140,
        ),
        {
            "taus": [
                {
                    "by": by,
                    "against": against,
                    "tau": tau,
                    **plots.ends(tau, low, high),
                    "name": f"{by}, against {against}: tau {number(tau)}",
                }
                for by, against, tau, low, high in rows
            ]
        },
        ("by", "against", "tau", "low", "high"),
        rows,
        in_levels.source("section 5"),
    )


def _scatter(data: StudyData, one: Ranked) -> Figure:
    usual, chances = one.usual.mean(axis=0).tolist(), one.values.mean(axis=0).tolist()
    rows: list[Row] = list(zip(data.runs, usual, chances, strict=True))
    return Figure(
        "systems-plot",
        f"Systems by P({SHOWN}) and by the study's own gains, {one.measure}"
        + ("" if np.isnan(one.tau) else f": tau {number(one.tau)}"),
        "One dot a system. The closer all are to a rising line, the less it matters which gains "
        "are taken; look for those far from it.",
        plots.sized(
            plots.points(
                "systems",
                plots.x("usual", f"mean by {DEFAULT}"),
                plots.y("chances", f"mean by P({SHOWN})"),
            )
        ),
        {
            "systems": [
                {
                    "name": f"{name}: {number(x)} by own gains, {number(y)} by P({SHOWN})",
                    "usual": x,
                    "chances": y,
                }
                for name, x, y in rows
            ]
        },
        ("system", "mean_by_own_gains", f"mean_by_P({SHOWN})"),
        rows,
        in_levels.source("section 5"),
    )


def _orders(data: StudyData, found: Sequence[Ranked]) -> Table:
    rows: list[Row] = [
        (
            str(one.measure),
            DEFAULT if one.users == OWN else f"P({one.users})",
            one.against,
            len(one.values),
            *map(float, one.compared.tau[:3]),
            int(one.compared.first.sum()),
            int(one.compared.second.sum()),
            one.compared.both,
            one.compared.overlap,
        )
        for one in found
    ]
    return Table(
        "orders",
        "Order of systems and top set by chances, against other gains",
        (
            *("measure", "gains", "against", "topics", "tau", "low", "high"),
            *("top_set_there", "top_set_by_chances", "in_both", "overlap"),
        ),
        rows,
        (
            "gains: the mean weight of a document's labels, with weights from this study; the "
            "lowest level is worth 0. tau: Kendall's tau-b of system means, with its 95% "
            "interval. Top set: the best system and all that a two-sided Wilcoxon signed-rank test "
            "over topics does not tell from it (p ≥ 0.05). Overlap: the share of the other gains' "
            "top set that is in both. GAP@10 counts the relevant documents of the list, as in the "
            "paper: a list with a single one, in first place, has 1. GAP(over='topic')@10 counts "
            "those of the topic.",
            *systems.too_few(len(data.topics)),
            *(
                f"A dash: {reason}."
                for reason in sorted({one.compared.reason for one in found} - {""})
            ),
        ),
        in_levels.source("section 5"),
    )


def _systems(data: StudyData, shown: Sequence[Ranked]) -> Table:
    columns = []
    for one in shown:
        for values in (one.usual, one.values):
            mean = values.mean(axis=0)
            columns += [mean, competition_ranks(mean)]
    order = np.argsort(columns[3], kind="stable").tolist()
    return Table(
        "all-systems",
        f"All systems by P({SHOWN}) and by the study's own gains",
        (
            "system",
            *(
                f"{of}_{SHORT[one.measure]}_{gains}".replace(" ", "_")
                for one in shown
                for gains in ("own", f"P({SHOWN})")
                for of in ("mean", "rank")
            ),
        ),
        [(data.runs[run], *(column[run].item() for column in columns)) for run in order],
        source=in_levels.source("section 5"),
    )
