"""Chances that users find a document best: predicted from p, and seen where labels are many.

Demeester and others (WSDM 2014), section 4.5: Figure 5, Table 1. A part of `prediction`.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.disagreement.labels_needed import REPEATS
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, Result, Table, number
from evaluation.study import levels
from magnitudes.agreement.opinions import Opinions
from magnitudes.files.words import count
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.disagreement_bootstrap import bootstrap_disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.prediction import observed_weights, sampled_weights

QUANTITIES = ("predicted", "low", "high", "seen", "sampled", "sd")
# Of the level below the top.
PAPER = {
    "paper's_seen": published.values("predicted_seen"),
    "paper's_predicted": published.values("predicted"),
}


def analyse(many: Opinions, least: int, names: list[str], seed: int) -> Result:
    """many: opinions on documents with `least` labels or more; names: of the levels."""
    weights, documents = _weights(many, least, names, seed)
    apart = np.abs(weights["predicted"] - weights["seen"])
    [farthest] = weights.where([np.nanargmax(apart)])
    sentence = (
        f"The chances that users assign {names[-1]}, predicted from two labels of a document, "
        f"differ from those seen by up to {number(np.nanmax(apart), 2)}, on "
        f"{count(documents, 'document')} with {least} labels or more. Farthest off is "
        f"P({farthest.users}) after {farthest.level}: {farthest.predicted:.3f} predicted, "
        f"{farthest.seen:.3f} seen."
    )
    numbers = {"documents": documents, "largest_difference": np.nanmax(apart)}
    for row in weights.where(weights["level"] == names[-2]):
        numbers |= {f"seen_{row.users}": row.seen, f"predicted_{row.users}": row.predicted}
    parts = [*_figures(weights, names), _table(weights, names[-2], seed)]
    return Result([sentence], parts, numbers)


def _weights(many: Opinions, least: int, names: list[str], seed: int) -> tuple[Frame, int]:
    """P(M/N) of levels: predicted from p with an interval, as seen, and as sampled; documents."""
    users = [(1, n) for n in range(2, least + 1)]
    users += [(2, n) for n in range(3, min(least, 5) + 1)]
    m, n = map(list, zip(*users, strict=True))
    interval = bootstrap_disagreement(many, seed=seed)
    sampled = sampled_weights(many, m, n, least, REPEATS, seed=seed)
    ends = disagreement(many).p, interval.low, interval.high
    predicted = (level_weights(p, m, n, keep_lowest=True) for p in ends)
    seen = observed_weights(many, m, n, least)
    values = (*predicted, seen, sampled.mean, sampled.sd)  # (users, levels) each
    frame = Frame.of(
        users=[f"{m}/{n}" for m, n in users for _ in names],
        m=np.repeat(m, len(names)),
        N=np.repeat(n, len(names)),
        level=[*names] * len(users),
        **{name: table.ravel() for name, table in zip(QUANTITIES, values, strict=True)},
    )
    return frame, sampled.documents


def _figures(weights: Frame, names: list[str]) -> Iterator[Figure]:
    """Of one of N users; none if nobody said less than the best."""
    is_shown = (weights["m"] == 1) & (weights["level"] != names[-1]) & ~np.isnan(weights["seen"])
    rows = weights.where(is_shown)
    if not len(rows):
        return
    rows = rows.sorted_by([names.index(level) for level in rows["level"]])
    rows = rows.of_columns("level", "N", *QUANTITIES)
    apart = np.abs(rows["predicted"] - rows["seen"]).max()
    below, above = rows["sampled"] - rows["sd"], rows["sampled"] + rows["sd"]
    seen = published.value("predicted_seen.1/3")  # of the level below the top one
    of_paper = {"level": names[-2], "N": 3, "seen": seen}
    of_paper["name"] = f"the paper, 1 of 3: {seen:.2f} seen"
    label = "{level}, 1 of {N}: {predicted:.3f} predicted, {seen:.3f} seen"
    order = list(dict.fromkeys(rows["level"]))
    chart = _chart(rows["N"].max().item())
    yield rows.figure(
        "users",
        f"Predicted and seen chances that one of N users finds a document {names[-1]} are up "
        f"to {number(apart, 2)} apart",
        "Lines: predicted, with a 95% interval; small diamonds: seen.",
        plots.panels(chart, "level", order, columns=levels.columns(order), height=150),
        data={
            ROWS: rows.with_columns(below=below, above=above).marks(label),
            OF_PAPER: [of_paper],
        },
        source=levels.source("Figure 5"),
        reading="Each panel has the level that one user gave. Predicted: from the chance that "
        "another says the top level, its interval over documents. Seen: the share of documents in "
        "which at least one of N labels is the top level, with one standard deviation of draws. "
        "Diamonds below the line: users are less independent of each other than predicted.",
    )


def _chart(most_users: int) -> plots.Plot:
    across = plots.axis("N", "N users", **plots.whole(2, most_users))
    low, predicted, seen, below = (
        plots.axis(field, "best to one of N", domain=(0, 1))
        for field in ("low", "predicted", "seen", "below")
    )
    other = {"colour": plots.OTHER}
    return plots.layer(
        plots.band(ROWS, across, low, "high"),
        plots.line(ROWS, across, predicted),
        plots.mark("rule", ROWS, x=across, y=below, y2="above", width=2, **other),
        plots.points(ROWS, across, seen, shape="diamond", size=50, opacity=1, **other),
        plots.paper(across, seen),
    )


def _table(weights: Frame, below: str, seed: int) -> Table:
    papers = {
        name: [values.get(row.users) if row.level == below else None for row in weights]
        for name, values in PAPER.items()
    }
    quantities = weights.of_columns("level", *QUANTITIES).columns
    return Frame.of(**{"M/N": weights["users"]}, **quantities, **papers).table(
        "predicted",
        "Chances that at least M of N users find a document best, predicted and seen",
        "Predicted: from p by equations (4) and (5), for the lowest level too; low, high: with "
        "the ends of the 95% interval of p over documents. Seen: the exact share of "
        "documents, over all draws of N of their labels; sampled, sd: mean and standard "
        f"deviation of {REPEATS} draws, seed {seed}. The paper's are of its "
        "level Rel below HRel.",
        "A dash: no document has the level, or the paper does not have the number.",
        source=levels.source("Table 1"),
    )
