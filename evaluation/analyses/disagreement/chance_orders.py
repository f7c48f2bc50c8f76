"""Systems by chances that users find documents best, against other gains.

Demeester and others (WSDM 2014), section 5. What the analysis `users` computes.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from evaluation.study.topics import TopicData
from judging.models import Study
from magnitudes.agreement.opinions import Opinions
from magnitudes.comparison.compared import Compared, compare
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import gains_of, level_weights
from magnitudes.measures.names import Measure

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


def measures(study: Study) -> dict[Measure, str]:
    """What systems are measured by, to the study's cutoff, and what it is called."""
    return {comparing.to_cutoff(name, study): short for name, short in NAMES.items()}


def by_own_gains(data: StudyData) -> Iterator[Ranked]:
    """The study's own gains against labels, to hold the others against."""
    labelled = comparing.labelled(data)
    if not labelled:
        return
    for measure, short in measures(data.study).items():
        there, here = _by_labels(labelled, measure), _by_study(labelled, measure)
        compared = compare(there, here, ("ranking by labels", "ranking by magnitudes"))
        yield Ranked(measure, short, OWN, LABELS, there, here, compared)


def by_chances(data: StudyData, opinions: Opinions, users: str) -> Iterator[Ranked]:
    """By each measure P(1/N) against the study's own gains, and against labels where there are."""
    by_topic = np.split(chances(opinions, users), data.offsets[1:-1])
    gains = dict(zip((topic.query_id for topic in data.topics), by_topic, strict=True))

    def values(topics: Sequence[TopicData], measure: Measure) -> Floats:
        sources = [comparing.magnitudes(topic, gains[topic.query_id]) for topic in topics]
        return comparing.measure(topics, sources, measure).values

    labelled = comparing.labelled(data)
    for measure, short in measures(data.study).items():
        by_study, name = _by_study(data.topics, measure), (measure, short)
        yield _compared(name, users, STUDY, by_study, values(data.topics, measure))
        if labelled:
            by_labels = _by_labels(labelled, measure)
            yield _compared(name, users, LABELS, by_labels, values(labelled, measure))


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
    measure: tuple[Measure, str], users: str, against: str, other_values: Floats, values: Floats
) -> Ranked:
    names = f"ranking by {against}", f"ranking by P({users})"
    compared = compare(other_values, values, names)
    return Ranked(*measure, users, against, other_values, values, compared)
