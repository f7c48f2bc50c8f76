"""Chances that at least M of N users find a document best, predicted and seen.

Demeester and others (WSDM 2014), section 4.5: Figure 5, Table 1.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import Floats
from evaluation.analyses.parts import Figure, Row, Table, number
from evaluation.gains.disagreement import disagreement
from evaluation.gains.disagreement_bootstrap import bootstrap_disagreement
from evaluation.gains.level_weights import level_weights
from evaluation.gains.opinions import Opinions
from evaluation.gains.prediction import Sampled, observed_weights, sampled_weights
from trec.words import count

REPEATS = 50  # as in the paper
# Of the level below the top: as sampled, and as predicted (Table 1).
PAPER = {(1, 3): (0.49, 0.51), (2, 3): (0.10, 0.09), (2, 4): (0.23, 0.21), (2, 5): (0.35, 0.35)}


class Weights(NamedTuple):
    """P(M/N) of several M and N, (users, levels)."""

    users: list[tuple[int, int]]
    predicted: Floats
    low: Floats
    high: Floats
    seen: Floats
    sampled: Sampled

    def columns(self) -> tuple[Floats, ...]:
        """As tables have them."""
        drawn = self.sampled
        return self.predicted, self.low, self.high, self.seen, drawn.mean, drawn.sd

    def largest(self) -> tuple[float, int, int]:
        """The largest distance between what is predicted and what is seen, where it is."""
        apart = np.abs(self.predicted - self.seen)
        row, level = np.unravel_index(int(np.nanargmax(apart)), apart.shape)
        return float(apart[row, level]), int(row), int(level)


def compared(many: Opinions, least: int, seed: int) -> Weights:
    """Of opinions on documents with `least` labels or more."""
    users = [(1, n) for n in range(2, least + 1)]
    users += [(2, n) for n in range(3, min(least, 5) + 1)]
    m, n = map(list, zip(*users, strict=True))
    sure = bootstrap_disagreement(many, seed=seed)
    return Weights(
        users,
        level_weights(disagreement(many).p, m, n, keep_lowest=True),
        level_weights(sure.low, m, n, keep_lowest=True),
        level_weights(sure.high, m, n, keep_lowest=True),
        observed_weights(many, m, n, least),
        sampled_weights(many, m, n, least, REPEATS, seed=seed),
    )


def says(weights: Weights, least: int, names: Sequence[str]) -> str:
    """Where predictions are farthest off."""
    apart, row, level = weights.largest()
    m, n = weights.users[row]
    return (
        f"On {count(weights.sampled.documents, 'document')} with {least} labels or more, what is "
        f"predicted from p alone is nowhere farther than {number(apart, 2)} from the share of "
        "documents that at least M of N users do call "
        f"{names[-1]}; farthest by P({m}/{n}) after {names[level]}: "
        f"{weights.predicted[row, level]:.3f} predicted, {weights.seen[row, level]:.3f} seen."
    )


def figure(weights: Weights, names: Sequence[str]) -> Iterator[Figure]:
    rows: list[Row] = [
        (names[level], n, *(float(of[row, level]) for of in weights.columns()))
        for level in range(len(names) - 1)
        for row, (m, n) in enumerate(weights.users)
        if m == 1 and not np.isnan(weights.seen[row, level])
    ]
    if not rows:  # nobody said less than the best
        return
    drawn = [
        {
            "level": level,
            "n": n,
            "predicted": predicted,
            "low": low,
            "high": high,
            "seen": seen,
            "below": mean - sd,
            "above": mean + sd,
            "name": f"{level}, 1 of {n}: {predicted:.3f} predicted, {seen:.3f} seen",
        }
        for level, n, predicted, low, high, seen, mean, sd in rows
    ]
    order = [name for name in names if name in {row[0] for row in rows}]
    ends = plots.whole(2, max(row[1] for row in rows))
    across = plots.x("n", "N users", **ends)
    low, predicted, seen, below = (
        plots.y(field, "best to one of N", domain=(0, 1))
        for field in ("low", "predicted", "seen", "below")
    )
    spans = plots.on("users").mark_rule(color=plots.OTHER, strokeWidth=2, aria=False)
    chart = plots.alt.layer(
        plots.band("users", across, low, "high"),
        plots.line("users", across, predicted),
        spans.encode(x=across, y=below, y2="above:Q"),
        plots.points("users", across, seen, shape="diamond", color=plots.OTHER, size=50, opacity=1),
    )
    apart = max(abs(row[2] - row[5]) for row in rows)
    yield Figure(
        "users",
        f"Predicted and seen chances that one of N users finds a document {names[-1]} lie within "
        f"{number(apart, 2)}",
        "Under the name of the level that one user gave. Line: predicted from p, its shade the "
        "95% interval of p over documents. Diamonds: the share of documents in which at least one "
        "of N labels is the top level, with one standard deviation of draws. Look for diamonds "
        "below the line: there users are less independent of each other than the prediction takes "
        "them to be.",
        plots.panels(chart, "level", order, columns=in_levels.columns(order), height=150),
        {"users": drawn},
        ("level", "N", "predicted", "low", "high", "seen", "sampled", "sd"),
        rows,
        in_levels.source("Figure 5"),
    )


def table(weights: Weights, names: Sequence[str]) -> Table:
    rows: list[Row] = [
        (
            f"{m}/{n}",
            name,
            *(float(of[row, level]) for of in weights.columns()),
            *(PAPER.get((m, n), (None, None)) if level == len(names) - 2 else (None, None)),
        )
        for row, (m, n) in enumerate(weights.users)
        for level, name in enumerate(names)
    ]
    return Table(
        "predicted",
        "Chances that at least M of N users find a document best, predicted and seen",
        (
            *("M/N", "level", "predicted", "low", "high", "seen", "sampled", "sd"),
            *("paper's_seen", "paper's_predicted"),
        ),
        rows,
        (
            "predicted: from p by equations (4) and (5), for the lowest level too; low, high: with "
            "the ends of the 95% interval of p over documents. seen: the exact share of "
            f"documents, over all draws of N of their labels; sampled, sd: mean and standard "
            f"deviation of {REPEATS} draws, seed {weights.sampled.seed}. The paper's are of its "
            "level Rel below HRel.",
            "A dash: no document has the level, or the paper does not have the number.",
        ),
        in_levels.source("Table 1"),
    )
