"""Systems by chances that users find documents best, against other gains.

Demeester and others (WSDM 2014), section 5.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses import systems
from evaluation.analyses.data import Floats, StudyData, TopicData
from evaluation.gains.disagreement import disagreement
from evaluation.gains.level_weights import gains_of, level_weights
from evaluation.gains.opinions import Opinions
from evaluation.measures.names import Measure, parse

USERS = ("1/2", "1/3", "1/4")
SHOWN = "1/3"  # in the plot of systems, and in their table
# GAP counts relevant documents of the list, as in the paper, or of the topic: by the former a list
# with one relevant document, in first place, is perfect.
NAMES = {
    "nDCG@10": "nDCG",
    "nDCG(dcg='zipf')@10": "nDCG zipf",
    "GAP@10": "GAP",
    "GAP(over='topic')@10": "GAP of topic",
}
SHORT = {parse(name): short for name, short in NAMES.items()}
MEASURES = tuple(SHORT)
DEFAULT, LABELS = "the study's own gains", "reference labels"
OWN = "own"  # in the place of users: the study's own gains themselves


class Ranked(NamedTuple):
    """One measure with one N of P(1/N), against other gains; values: (topics, runs)."""

    measure: Measure
    users: str
    against: str
    usual: Floats
    values: Floats
    compared: systems.Compared

    @property
    def tau(self) -> float:
        return self.compared.tau.tau


def of_own(data: StudyData) -> Iterator[Ranked]:
    """The study's own gains against labels, to hold the others against."""
    labelled = systems.labelled(data)
    if not labelled:
        return
    for by in MEASURES:
        there, here = _by_labels(labelled, by), _by_default(labelled, by)
        yield Ranked(by, OWN, LABELS, there, here, systems.compare(there, here))


def of_chances(data: StudyData, said: Opinions, users: str) -> Iterator[Ranked]:
    """By each measure P(1/N) against the study's own gains, and against labels where there are."""
    of_topic = dict(
        zip(
            (topic.query_id for topic in data.topics),
            np.split(gains(said, users), data.offsets[1:-1]),
            strict=True,
        )
    )

    def values(topics: Sequence[TopicData], by: Measure) -> Floats:
        sources = [systems.magnitudes(topic, of_topic[topic.query_id]) for topic in topics]
        return systems.measure(topics, sources, by).values

    labelled = systems.labelled(data)
    for by in MEASURES:
        yield _compared(by, users, DEFAULT, _by_default(data.topics, by), values(data.topics, by))
        if labelled:
            yield _compared(by, users, LABELS, _by_labels(labelled, by), values(labelled, by))


def gains(said: Opinions, users: str) -> Floats:
    """Mean weights of the labels of each item; NaN where one of them has no weight."""
    m, n = map(int, users.split("/"))
    return gains_of(said, level_weights(disagreement(said).p, m, n))


def _by_labels(topics: Sequence[TopicData], by: Measure) -> Floats:
    sources = [systems.labels(topic, systems.KINDS["graded"]) for topic in topics]
    return systems.measure(topics, sources, by).values


def _by_default(topics: Sequence[TopicData], by: Measure) -> Floats:
    return systems.measure(topics, map(systems.magnitudes, topics), by).values


def _compared(by: Measure, users: str, against: str, usual: Floats, values: Floats) -> Ranked:
    names = f"by {against}", f"by P({users})"
    return Ranked(by, users, against, usual, values, systems.compare(usual, values, names))
