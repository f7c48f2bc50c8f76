"""Systems by chances that users find documents best, against other gains.

Demeester and others (WSDM 2014), section 5. What the analysis `users` computes.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.agreement.opinions import Opinions
from evaluation.analyses.study import comparing
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.topics import TopicData
from evaluation.comparison.compared import Compared, compare
from evaluation.gains.disagreement import disagreement
from evaluation.gains.level_weights import gains_of, level_weights
from evaluation.measures.names import Measure, parse

USERS = ("1/2", "1/3", "1/4")
MAIN_USERS = "1/3"  # in the plot of systems, and in their table
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
STUDY, LABELS = "the study's own gains", "reference labels"
OWN = "own"  # in the place of users: the study's own gains themselves


class Ranked(NamedTuple):
    """One measure with one N of P(1/N), against other gains; values: (topics, runs)."""

    measure: Measure
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
        return f"{SHORT[self.measure]}, {self.users}"


def by_own_gains(data: StudyData) -> Iterator[Ranked]:
    """The study's own gains against labels, to hold the others against."""
    labelled = comparing.labelled(data)
    if not labelled:
        return
    for measure in MEASURES:
        there, here = _by_labels(labelled, measure), _by_study(labelled, measure)
        compared = compare(there, here, ("ranking by labels", "ranking by magnitudes"))
        yield Ranked(measure, OWN, LABELS, there, here, compared)


def by_chances(data: StudyData, opinions: Opinions, users: str) -> Iterator[Ranked]:
    """By each measure P(1/N) against the study's own gains, and against labels where there are."""
    by_topic = np.split(chances(opinions, users), data.offsets[1:-1])
    gains = dict(zip((topic.query_id for topic in data.topics), by_topic, strict=True))

    def values(topics: Sequence[TopicData], measure: Measure) -> Floats:
        sources = [comparing.magnitudes(topic, gains[topic.query_id]) for topic in topics]
        return comparing.measure(topics, sources, measure).values

    labelled = comparing.labelled(data)
    for measure in MEASURES:
        by_study = _by_study(data.topics, measure)
        yield _compared(measure, users, STUDY, by_study, values(data.topics, measure))
        if labelled:
            by_labels = _by_labels(labelled, measure)
            yield _compared(measure, users, LABELS, by_labels, values(labelled, measure))


def chances(opinions: Opinions, users: str) -> Floats:
    """Mean weights of the labels of each item; NaN where one of them has no weight."""
    m, n = map(int, users.split("/"))
    return gains_of(opinions, level_weights(disagreement(opinions).p, m, n))


def _by_labels(topics: Sequence[TopicData], measure: Measure) -> Floats:
    sources = [comparing.labels(topic, comparing.KINDS["graded"]) for topic in topics]
    return comparing.measure(topics, sources, measure).values


def _by_study(topics: Sequence[TopicData], measure: Measure) -> Floats:
    return comparing.measure(topics, map(comparing.magnitudes, topics), measure).values


def _compared(
    measure: Measure, users: str, against: str, other_values: Floats, values: Floats
) -> Ranked:
    names = f"ranking by {against}", f"ranking by P({users})"
    compared = compare(other_values, values, names)
    return Ranked(measure, users, against, other_values, values, compared)
