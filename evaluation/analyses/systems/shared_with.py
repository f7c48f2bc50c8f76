"""What a study shares with another one of its collection: documents, and systems on their topics.

Of the analysis `studies`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.presentation.frame import Frame
from evaluation.study import scoring
from evaluation.study.data import StudyData
from evaluation.study.other_studies import OtherStudy
from evaluation.study.topics import TopicData
from magnitudes.comparison.compared import Compared, compare
from magnitudes.comparison.correlation import tau_b
from magnitudes.measures.names import Measure


class Ranked(NamedTuple):
    """Systems by one measure on the topics that two studies share, with their means in both."""

    measure: Measure
    means: Frame
    compared: Compared


class Shared(NamedTuple):
    """What another study shares with this one: topics with their documents, and rankings."""

    other: OtherStudy
    topics: Frame
    rankings: list[Ranked]

    @property
    def documents(self) -> int:
        return int(self.topics["documents"].sum())

    @property
    def tau_of_documents(self) -> float:
        """The mean over the topics that have one."""
        known = self.topics["tau"][~np.isnan(self.topics["tau"])]
        return float(np.mean(known)) if known.size else np.nan


def compute(data: StudyData, other: OtherStudy) -> Shared:
    judged = [topic for topic in data.topics if topic.query_id in other.gains]
    by_topic = [(topic, _topic(topic, other)) for topic in judged]
    shared = [(topic, row) for topic, row in by_topic if row[2]]
    topics = [topic for topic, _ in shared]
    measures = scoring.measures(data.study) if topics and data.runs else ()
    rankings = [_ranked(topics, data.runs, other, measure) for measure in measures]
    rows = Frame.of_rows("study query_id documents tau", [row for _, row in shared])
    return Shared(other, rows, rankings)


def _topic(topic: TopicData, other: OtherStudy) -> tuple[str, str, int, float]:
    """The documents that both have judged, and how far they are ordered alike."""
    codes, gains = other.gains[topic.query_id]
    judged = np.flatnonzero(~np.isnan(topic.gains))
    both, here, there = np.intersect1d(topic.codes[judged], codes, return_indices=True)
    tau = tau_b(topic.gains[judged[here]], gains[there])
    return other.slug, topic.query_id, len(both), tau


def _ranked(
    topics: Sequence[TopicData], runs: list[str], other: OtherStudy, measure: Measure
) -> Ranked:
    sources = (scoring.Source(*other.gains[topic.query_id]) for topic in topics)
    here = scoring.measure(topics, map(scoring.magnitudes, topics), measure).values
    there = scoring.measure(topics, sources, measure).values
    compared = compare(there, here, (f"ranking by {other.slug}", "ranking by this one"))
    names = {"measure": [str(measure)] * len(runs), "system": runs}
    means = Frame.of(**names, mean_there=there.mean(axis=0), mean_here=here.mean(axis=0))
    return Ranked(measure, means, compared)
