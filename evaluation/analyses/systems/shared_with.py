"""What a study shares with another one of its collection: documents, and systems on their topics.

Of the analysis `studies`.
"""

from typing import NamedTuple

import numpy as np

from evaluation.presentation.frame import Frame
from evaluation.study import scoring
from evaluation.study.data import StudyData
from evaluation.study.other_studies import OtherStudy
from magnitudes.comparison.compared import Compared, compare
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.interval import Interval, t_interval
from magnitudes.measures.names import Measure


class Shared(NamedTuple):
    """What another study shares with this one: topics with their documents, and systems on them.

    means: of systems by each measure, in both.
    """

    other: OtherStudy
    topics: Frame
    orders: dict[Measure, Compared]
    means: Frame

    @property
    def documents(self) -> int:
        return int(self.topics["documents"].sum())

    @property
    def tau_of_documents(self) -> Interval:
        """The mean over the topics that have one."""
        return t_interval(self.topics["tau"][~np.isnan(self.topics["tau"])])


def compute(data: StudyData, other: OtherStudy) -> Shared:
    topics, documents = [], []
    for topic in data.topics:
        if topic.query_id in other.gains:
            codes, gains = other.gains[topic.query_id]
            judged = np.flatnonzero(~np.isnan(topic.gains))
            _, here, there = np.intersect1d(topic.codes[judged], codes, return_indices=True)
            if here.size:
                tau = tau_b(topic.gains[judged[here]], gains[there])
                documents.append((other.slug, topic.query_id, here.size, tau))
                topics.append(topic)
    orders, means, names = {}, [], (f"ranking by {other.slug}", "ranking by this one")
    for by in scoring.measures(data.study) if topics and data.runs else ():
        sources = (scoring.Source(*other.gains[topic.query_id]) for topic in topics)
        in_other = scoring.measure(topics, sources, by).values
        in_this = scoring.by_own_gains(topics, by)
        orders[by] = compare(in_other, in_this, names)
        of_both = in_other.mean(axis=0).tolist(), in_this.mean(axis=0).tolist()
        means += [(str(by), *row) for row in zip(data.runs, *of_both, strict=True)]
    return Shared(
        other,
        Frame.of_rows("study query_id documents tau", documents),
        orders,
        Frame.of_rows("measure system mean_there mean_here", means),
    )
