"""The systems that are ranked: the runs, and systems simulated from their lists.

A simulated system takes, on each topic, one list at random of those whose first documents all have
labels (paper, section 7.2).
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.study import scoring
from evaluation.study.data import StudyData
from evaluation.study.scoring import Codes, Source, Values
from evaluation.study.topics import TopicData
from magnitudes.comparison.subruns import SubRuns, complete_sub_runs
from magnitudes.measures.names import Measure

HOW_MANY = 100  # simulated systems
MIN_TOPICS = 2  # such lists of a topic, and such topics
RUNS, SIMULATED = "runs", "simulated"


class Systems(NamedTuple):
    """Systems by name, with their lists on each topic, (systems, depth)."""

    kind: str  # RUNS or SIMULATED
    names: list[str]
    topics: list[TopicData]
    lists: list[Codes]
    measures: tuple[Measure, ...]

    @property
    def called(self) -> str:
        """What they are called in a sentence."""
        return "runs" if self.kind == RUNS else "simulated systems"

    def measure(self, sources: Iterable[Source], by: Measure) -> Values:
        """Values of shape (topics, systems), with the gains of one source for each topic."""
        return scoring.measure(self.topics, sources, by, self.lists)

    def by_labels(self) -> Iterator[tuple[str, Measure, Values]]:
        """By each kind of labels and each measure."""
        for kind in scoring.kinds(self.topics):
            labels = [scoring.labels(topic, scoring.KINDS[kind]) for topic in self.topics]
            for measure in self.measures:
                yield kind, measure, self.measure(labels, measure)


def both(data: StudyData) -> Iterator[Systems]:
    """The runs, and simulated systems where there are enough topics for them."""
    yield runs(data)
    topics, sub_runs = draw(data)
    if len(topics) >= MIN_TOPICS:
        yield simulated(data, topics, sub_runs)


def runs(data: StudyData) -> Systems:
    """The runs, on the topics that have labels."""
    topics = scoring.labelled(data)
    lists = [topic.lists for topic in topics]
    return Systems(RUNS, data.runs, topics, lists, scoring.measures(data.study))


def simulated(data: StudyData, topics: list[TopicData], sub_runs: SubRuns) -> Systems:
    """The simulated systems, from what `draw` gives."""
    names = [f"simulation {n}" for n in range(1, HOW_MANY + 1)]
    choices = zip(topics, sub_runs.choices.T, strict=True)
    lists = [topic.lists[choice] for topic, choice in choices]
    return Systems(SIMULATED, names, topics, lists, scoring.measures(data.study))


def draw(data: StudyData) -> tuple[list[TopicData], SubRuns]:
    """The topics with enough complete lists, and which of these each simulated system takes."""
    topics = scoring.labelled(data)
    sub_runs = complete_sub_runs(
        [topic.lists for topic in topics],
        [_has_label(topic) for topic in topics],
        HOW_MANY,
        scoring.cutoff(data.study),  # documents of a list that must have labels
        MIN_TOPICS,
        data.seed,
    )
    return [topics[place] for place in sub_runs.topics.tolist()], sub_runs


def _has_label(topic: TopicData) -> NDArray[np.bool_]:
    """Of each document by code, whether it has a label."""
    codes = topic.labelled.codes
    most = max(codes.max(initial=-1), topic.lists.max(initial=-1))
    return np.isin(np.arange(most + 1), codes)
