"""Weights of levels as predicted from pairs of labels, and as seen on documents with many.

Demeester and others (WSDM 2014), sections 3.2, 4.2 and 4.5: Figures 1 and 5, Table 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.disagreement import expected_best, labels_needed
from evaluation.analyses.disagreement.labels_needed import REPEATS
from evaluation.presentation import plots, published
from evaluation.presentation.parts import Analysed, Figure, Row, Table, Tell, drawn, number
from evaluation.study import levels
from evaluation.study.data import Ints, StudyData
from evaluation.study.fits import in_levels
from magnitudes.agreement.opinions import Opinions
from magnitudes.files.words import count
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.disagreement_bootstrap import bootstrap_disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.prediction import LEAST, observed_weights, sampled_weights

FEWEST = 3  # labels of a document: one of the first user, two of others
DOCUMENTS = (100, 20)  # that must have so many: enough, or at least
# Of the level below the top.
PAPER = published.values("predicted_seen"), published.values("predicted")


class Weight(NamedTuple):
    """P(M/N) of a level: predicted from p, with an interval, as seen, and as sampled."""

    m: int
    n: int
    level: str
    predicted: float
    low: float
    high: float
    seen: float
    sampled: float
    sd: float

    @property
    def apart(self) -> float:
        """How far the prediction lies from what is seen."""
        return abs(self.predicted - self.seen)

    @property
    def below(self) -> float:
        return self.sampled - self.sd

    @property
    def above(self) -> float:
        return self.sampled + self.sd


@dataclass(frozen=True)
class Found:
    """Weights by users, then by level, on documents with `least` labels or more."""

    names: Sequence[str]  # of the levels
    weights: list[Weight]
    documents: int
    least: int
    seed: int

    @property
    def farthest(self) -> Weight:
        """Of those that were seen, the one whose prediction is farthest off."""
        return max((row for row in self.weights if not np.isnan(row.apart)), key=lambda w: w.apart)

    def numbers(self) -> dict[str, float]:
        below = self.names[-2]
        return {
            "documents": self.documents,
            "largest_difference": self.farthest.apart,
            **{
                f"{name}_{row.m}/{row.n}": getattr(row, name)
                for row in self.weights
                if row.level == below
                for name in ("seen", "predicted")
            },
        }


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Predictions against what is seen, how many labels p needs, and how many are best."""
    every, names = levels.opinions(data), levels.names(data)
    if reason := levels.why_no_chances(every, names[-1]):
        return Analysed([reason, *levels.left_out(data)])
    # Without the anchors, which have hundreds of labels.
    opinions = levels.for_themselves(levels.without_anchors(data, every))
    labels = opinions.counts.sum(axis=1)
    least = _least(labels)
    if least is None:
        return Analysed([_too_few(labels)])
    many = opinions.where((labels >= least)[opinions.items])
    found = compute(many, least, names, data.seed)
    tell(0.4)
    needed = labels_needed.compute(many, least, names, data.seed)
    tell(0.8)
    best = expected_best.compute(many, [topic.query_id for topic in data.topics])
    return Analysed(
        [
            says(found),
            *labels_needed.says(needed),
            *_anchors(data),
            expected_best.says(best),
            *levels.told(data),
        ],
        [
            *figures(found),
            table(found),
            labels_needed.figure(needed),
            expected_best.figure(best),
        ],
        found.numbers(),
    )


def _least(labels: Ints) -> int | None:
    """The most labels that enough documents have; labels: (items,)."""
    return next(
        (
            least
            for documents in DOCUMENTS
            for least in range(LEAST, FEWEST - 1, -1)
            if (labels >= least).sum() >= documents
        ),
        None,
    )


def _too_few(labels: Ints) -> str:
    return (
        f"To see what several users say of a document, {DOCUMENTS[-1]} documents must have "
        f"{FEWEST} labels or more; {count(int((labels >= FEWEST).sum()), 'has', 'have')}."
    )


def _anchors(data: StudyData) -> list[str]:
    if not data.has_anchors:
        return []
    return ["Anchors, of which there are hundreds of scores, are left out."]


def compute(many: Opinions, least: int, names: Sequence[str], seed: int) -> Found:
    """many: opinions on documents with `least` labels or more."""
    users = [(1, n) for n in range(2, least + 1)]
    users += [(2, n) for n in range(3, min(least, 5) + 1)]
    m, n = map(list, zip(*users, strict=True))
    interval = bootstrap_disagreement(many, seed=seed)
    sampled = sampled_weights(many, m, n, least, REPEATS, seed=seed)
    columns = np.stack(
        [
            *(
                level_weights(p, m, n, keep_lowest=True)
                for p in (disagreement(many).p, interval.low, interval.high)
            ),
            observed_weights(many, m, n, least),
            sampled.mean,
            sampled.sd,
        ],
        axis=-1,
    ).tolist()  # (users, levels, columns)
    weights = [
        Weight(*pair, name, *values)
        for pair, of_levels in zip(users, columns, strict=True)
        for name, values in zip(names, of_levels, strict=True)
    ]
    return Found(names, weights, sampled.documents, least, sampled.seed)


def says(found: Found) -> str:
    """Where predictions are farthest off."""
    worst = found.farthest
    return (
        f"Chances that users call a document {found.names[-1]}, predicted from two labels of each, "
        f"lie up to {number(worst.apart, 2)} from those seen on "
        f"{count(found.documents, 'document')} with {found.least} labels or more. Farthest off is "
        f"P({worst.m}/{worst.n}) after {worst.level}: {worst.predicted:.3f} predicted, "
        f"{worst.seen:.3f} seen."
    )


def figures(found: Found) -> Iterator[Figure]:
    rows = [
        row
        for name in found.names[:-1]
        for row in found.weights
        if row.m == 1 and row.level == name and not np.isnan(row.seen)
    ]
    if not rows:  # nobody said less than the best
        return
    order = [name for name in found.names if name in {row.level for row in rows}]
    chart = _chart(max(row.n for row in rows))
    fields = "level n predicted low high seen below above"
    yield Figure(
        "users",
        f"Predicted and seen chances that one of N users finds a document {found.names[-1]} are up "
        f"to {number(max(row.apart for row in rows), 2)} apart",
        "Lines: predicted, with a 95% interval; diamonds: seen.",
        plots.panels(chart, "level", order, columns=levels.columns(order), height=150),
        {"users": drawn(rows, fields, _tooltip)},
        ("level", "N", *Weight._fields[3:]),
        [(row.level, row.n, *row[3:]) for row in rows],
        levels.source("Figure 5"),
        reading="Each panel has the level that one user gave. Predicted: from the chance that "
        "another says the top level, its interval over documents. Seen: the share of documents in "
        "which at least one of N labels is the top level, with one standard deviation of draws. "
        "Diamonds below the line: users are less independent of each other than predicted.",
    )


def _tooltip(row: Weight) -> str:
    return f"{row.level}, 1 of {row.n}: {row.predicted:.3f} predicted, {row.seen:.3f} seen"


def _chart(most_users: int) -> plots.Plot:
    across = plots.axis("n", "N users", **plots.whole(2, most_users))
    low, predicted, seen, below = (
        plots.axis(field, "best to one of N", domain=(0, 1))
        for field in ("low", "predicted", "seen", "below")
    )
    other = {"colour": plots.OTHER}
    return plots.layer(
        plots.band("users", across, low, "high"),
        plots.line("users", across, predicted),
        plots.mark("rule", "users", x=across, y=below, y2="above", width=2, **other),
        plots.points("users", across, seen, shape="diamond", size=50, opacity=1, **other),
    )


def table(found: Found) -> Table:
    below = found.names[-2]
    rows: list[Row] = [
        (
            f"{row.m}/{row.n}",
            *row[2:],
            *(paper.get(f"{row.m}/{row.n}") if row.level == below else None for paper in PAPER),
        )
        for row in found.weights
    ]
    return Table(
        "predicted",
        "Chances that at least M of N users find a document best, predicted and seen",
        ("M/N", *Weight._fields[2:], "paper's_seen", "paper's_predicted"),
        rows,
        (
            "Predicted: from p by equations (4) and (5), for the lowest level too; low, high: with "
            "the ends of the 95% interval of p over documents. Seen: the exact share of "
            f"documents, over all draws of N of their labels; sampled, sd: mean and standard "
            f"deviation of {REPEATS} draws, seed {found.seed}. The paper's are of its "
            "level Rel below HRel.",
            "A dash: no document has the level, or the paper does not have the number.",
        ),
        levels.source("Table 1"),
    )


ANALYSIS = Analysis(
    "prediction",
    "Do these chances come true where documents have many labels?",
    analyse,
    fits=in_levels,
)
