"""Systems by chances that users find documents best, against other gains.

Demeester and others (WSDM 2014), section 5. What the analysis `users` computes, and its tables.
"""

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import OnProgress, tracked
from evaluation.presentation import two_orders
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Table
from evaluation.study import levels, scoring
from evaluation.study.data import Floats, StudyData
from magnitudes.agreement.opinions import Opinions
from magnitudes.comparison.compared import Compared, compare
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import gains_of, level_weights
from magnitudes.measures.names import Measure

SOURCE = levels.source("section 5")
USERS = ("1/2", "1/3", "1/4")
MAIN_USERS = "1/3"  # in the plot of systems, and in their table
# GAP counts relevant documents of the list, as in the paper, or of the topic: by the former a list
# with one relevant document, in first place, is perfect.
NAMES = {
    "nDCG": "nDCG",
    "nDCG(dcg='zipf')": "nDCG zipf",
    "GAP": "GAP",
    "GAP(over='topic')": "GAP of topic",
}
STUDY, LABELS = "the study's own gains", "reference labels"
OWN = "own"  # in the place of users: the study's own gains themselves
GAINS = (
    "Gains: the mean weight of a document's labels, with weights from this study; the lowest level "
    "is worth 0. "
)
GAP = (
    "GAP counts the relevant documents of the list, as in the paper: a list with a single one, in "
    "first place, has 1. GAP(over='topic') counts those of the topic."
)
Means = dict[Measure, tuple[Floats, Floats]]


class Orders(NamedTuple):
    """Orders by each measure and P(1/N), against other gains.

    name: what the figure calls the measure and the users, `users` the latter alone. means: of
    systems by the study's own gains and by P(MAIN_USERS), by measure.
    """

    every: Frame
    means: Means
    notes: list[str]

    def of(self, users: str, against: str) -> Frame:
        """One a measure."""
        every = self.every
        return every.where((every["users"] == users) & (every["against"] == against))


def compute(data: StudyData, opinions: Opinions, on_progress: OnProgress) -> Orders:
    """By each measure the study's own gains against labels, then P(1/N) against both."""
    measures = {scoring.to_cutoff(name, data.study): short for name, short in NAMES.items()}
    labelled, means = scoring.labelled(data), Means()
    about: list[tuple[Measure, str, str, int]] = []
    compared: list[Compared] = []

    def add(by: Measure, users: str, against: str, values: Floats) -> None:
        other = scoring.by_own_gains(data.topics, by) if against == STUDY else by_labels[by]
        called = ("labels", "magnitudes") if users == OWN else (against, f"P({users})")
        first, second = (f"ranking by {name}" for name in called)
        compared.append(compare(other, values, (first, second)))
        about.append((by, users, against, len(values)))
        if (users, against) == (MAIN_USERS, STUDY):
            means[by] = other.mean(axis=0), values.mean(axis=0)

    labels = [scoring.labels(topic, scoring.KINDS["graded"]) for topic in labelled]
    by_labels = {by: scoring.measure(labelled, labels, by).values for by in measures}
    for by in measures if labelled else ():
        add(by, OWN, LABELS, scoring.by_own_gains(labelled, by))
    for users in tracked(USERS, on_progress):
        by_topic = np.split(chances(opinions, users), data.offsets[1:-1])
        gains = dict(zip((topic.query_id for topic in data.topics), by_topic, strict=True))
        for by, (against, topics) in product(measures, ((STUDY, data.topics), (LABELS, labelled))):
            if topics:
                sources = [scoring.magnitudes(topic, gains[topic.query_id]) for topic in topics]
                add(by, users, against, scoring.measure(topics, sources, by).values)
    every = two_orders.frame(
        compared,
        "top_set_there",
        "top_set_by_chances",
        measure=[str(by) for by, *_ in about],
        gains=[STUDY if users == OWN else f"P({users})" for _, users, *_ in about],
        against=[against for *_, against, _ in about],
        topics=[topics for *_, topics in about],
    ).with_columns(
        name=[f"{measures[by]}, {users}" for by, users, *_ in about],
        users=[users for _, users, *_ in about],
    )
    notes = two_orders.notes(compared, "the other gains' top set", GAP, before=GAINS)
    return Orders(every, means, notes)


def chances(opinions: Opinions, users: str) -> Floats:
    """Mean weights of the labels of each item; NaN where one of them has no weight."""
    m, n = map(int, users.split("/"))
    return gains_of(opinions, level_weights(disagreement(opinions).p, m, n))


def tables(data: StudyData, orders: Orders) -> list[Table]:
    columns: dict[str, Any] = {}
    for short, means in zip(NAMES.values(), orders.means.values(), strict=True):
        for gains, mean in zip(("own", f"P({MAIN_USERS})"), means, strict=True):
            name = f"{short}_{gains}".replace(" ", "_")
            columns |= {f"mean_{name}": mean, f"rank_{name}": competition_ranks(mean)}
    systems = Frame.of(system=data.runs, **columns)
    title = f"All systems by P({MAIN_USERS}) and by the study's own gains"
    of_orders = "Order of systems and top set by chances, against other gains"
    every = orders.every.of_columns(*orders.every.names[:-2])
    return [
        every.table("orders", of_orders, *orders.notes, source=SOURCE),
        # By chances, first measure.
        systems.sorted_by(systems.names[4]).table("all-systems", title, source=SOURCE),
    ]
