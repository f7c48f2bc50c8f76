"""Rankings to their end, as measures without a cutoff need them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.data import Floats, Ints, StudyData, TopicData
from evaluation.analyses.fitting import magnitude
from evaluation.measures.relevance import between


class Lists(NamedTuple):
    """All systems on one topic.

    codes: (runs, ranks), -1 where a list is shorter; listed: where there is a document; places:
    its place among the judged ones, -1 where unjudged; ranked: gains, 0 where unjudged; judged:
    (n,), the gains of judged documents; rel: the least gain of a relevant one, None: any above 0.
    """

    codes: NDArray[np.int32]
    listed: NDArray[np.bool_]
    places: Ints
    ranked: Floats
    judged: Floats
    rel: float | None

    def where_listed(self, values: Floats) -> Floats:
        """Values by run, (runs,); 0 for a run that leaves the topic out."""
        return np.where(self.listed.any(axis=1), values, 0.0)


def whole_lists(data: StudyData) -> list[Lists]:
    """Of each topic."""
    ratios = magnitude(data.study)
    pairs = zip(data.topics, data.lists, strict=True)
    return [_lists(topic, codes, ratios) for topic, codes in pairs]


def _lists(topic: TopicData, codes: NDArray[np.int32], ratios: bool) -> Lists:
    known = np.flatnonzero(~np.isnan(topic.gains))
    place_of = np.full(max(codes.max(initial=-1), topic.codes.max(initial=-1)) + 2, -1)
    place_of[topic.codes[known]] = np.arange(len(known))
    places, gains = place_of[codes], topic.gains[known]  # code -1 reads the last, of no document
    anchors = between(*topic.gains[[topic.h_k, topic.n_k]]) if ratios else None
    return Lists(
        codes,
        codes >= 0,
        places,
        np.append(gains, 0.0)[places],
        gains,
        None if anchors is None else float(anchors),
    )
