"""Systems by chances that users find documents best, against other gains.

Demeester and others (WSDM 2014), section 5. What the analysis `users` computes, and its tables.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from evaluation.presentation import two_orders
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import OnProgress, Table
from evaluation.study import levels, scoring
from evaluation.study.data import Floats, StudyData
from evaluation.study.topics import TopicData
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


class Ranked(NamedTuple):
    """One measure with one N of P(1/N), against other gains; values: (topics, runs)."""

    measure: Measure
    short: str  # what columns and figures call it
    users: str
    against: str
    other_values: Floats
    values: Floats
    compared: Compared

    @property
    def tau(self) -> float:
        return self.compared.tau.tau

    @property
    def name(self) -> str:
        """What the figure calls it."""
        return f"{self.short}, {self.users}"


def of(rankings: Sequence[Ranked], users: str, against: str) -> list[Ranked]:
    """One a measure."""
    return [each for each in rankings if (each.users, each.against) == (users, against)]


def rankings(data: StudyData, opinions: Opinions, on_progress: OnProgress) -> list[Ranked]:
    """By each measure the study's own gains against labels, then P(1/N) against both."""
    measures = [(scoring.to_cutoff(name, data.study), short) for name, short in NAMES.items()]
    labelled, ranked = scoring.labelled(data), []
    for by in measures if labelled else []:
        values = _by_labels(labelled, by[0]), scoring.by_own_gains(labelled, by[0])
        compared = compare(*values, ("ranking by labels", "ranking by magnitudes"))
        ranked.append(Ranked(*by, OWN, LABELS, *values, compared))
    for done, users in enumerate(USERS, 1):
        by_topic = np.split(chances(opinions, users), data.offsets[1:-1])
        gains = dict(zip((topic.query_id for topic in data.topics), by_topic, strict=True))
        others = (STUDY, data.topics, scoring.by_own_gains), (LABELS, labelled, _by_labels)
        for by, (against, topics, by_others) in product(measures, others):
            if topics:
                sources = [scoring.magnitudes(topic, gains[topic.query_id]) for topic in topics]
                here = scoring.measure(topics, sources, by[0]).values
                values = by_others(topics, by[0]), here
                compared = compare(*values, (f"ranking by {against}", f"ranking by P({users})"))
                ranked.append(Ranked(*by, users, against, *values, compared))
        on_progress(done / len(USERS))
    return ranked


def chances(opinions: Opinions, users: str) -> Floats:
    """Mean weights of the labels of each item; NaN where one of them has no weight."""
    m, n = map(int, users.split("/"))
    return gains_of(opinions, level_weights(disagreement(opinions).p, m, n))


def _by_labels(topics: Sequence[TopicData], measure: Measure) -> Floats:
    sources = [scoring.labels(topic, scoring.KINDS["graded"]) for topic in topics]
    return scoring.measure(topics, sources, measure).values


def tables(data: StudyData, rankings: Sequence[Ranked]) -> list[Table]:
    return [_orders(rankings), _systems(data, rankings)]


def _orders(rankings: Sequence[Ranked]) -> Table:
    compared = [ranked.compared for ranked in rankings]
    return two_orders.frame(
        compared,
        "top_set_there",
        "top_set_by_chances",
        measure=[str(of.measure) for of in rankings],
        gains=[STUDY if of.users == OWN else f"P({of.users})" for of in rankings],
        against=[of.against for of in rankings],
        topics=[len(of.values) for of in rankings],
    ).table(
        "orders",
        "Order of systems and top set by chances, against other gains",
        *two_orders.notes(
            compared,
            "the other gains' top set",
            "GAP counts the relevant documents of the list, as in the paper: a list with a single "
            "one, in first place, has 1. GAP(over='topic') counts those of the topic.",
            before="Gains: the mean weight of a document's labels, with weights from this study; "
            "the lowest level is worth 0. ",
        ),
        source=SOURCE,
    )


def _systems(data: StudyData, rankings: Sequence[Ranked]) -> Table:
    columns: dict[str, Any] = {}
    for ranked in of(rankings, MAIN_USERS, STUDY):
        by_gains = {"own": ranked.other_values, f"P({MAIN_USERS})": ranked.values}
        for gains, values in by_gains.items():
            name, mean = f"{ranked.short}_{gains}".replace(" ", "_"), values.mean(axis=0)
            columns |= {f"mean_{name}": mean, f"rank_{name}": competition_ranks(mean)}
    systems = Frame.of(system=data.runs, **columns)
    by_rank = systems.sorted_by(systems.names[4])  # by chances, first measure
    title = f"All systems by P({MAIN_USERS}) and by the study's own gains"
    return by_rank.table("all-systems", title, source=SOURCE)
