"""Rankings to their end, as measures without a cutoff need them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.study.data import Floats, StudyData, TopicData
from evaluation.analyses.study.fits import magnitude
from evaluation.measures import lists
from evaluation.measures.lists import numbers_of, places_of


class Lists(NamedTuple):
    """All systems on one topic.

    codes: (runs, ranks), -1 where a list is shorter; listed: where there is a document; places:
    its place among the judged ones, -1 where unjudged; ranked: gains, 0 where unjudged; judged:
    (n,), the gains of judged documents; rel: the least gain of a relevant one, None: any above 0.
    """

    codes: NDArray[np.int32]
    listed: NDArray[np.bool_]
    places: NDArray[np.integer[Any]]
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
    judged = ~np.isnan(topic.gains)
    top = lists.Lists(places_of(codes, topic.codes[judged]), topic.gains[judged]).top()
    anchors = numbers_of(topic.gains, topic.h_k, topic.n_k).get("anchors") if ratios else None
    return Lists(
        codes,
        top.listed,
        top.places,
        top.gains,
        topic.gains[judged],
        None if anchors is None else float(anchors),
    )
