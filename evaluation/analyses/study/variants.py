"""Gains of a topic as other choices would have given them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.study.data import Floats, TopicData
from evaluation.pipeline import AGGREGATION, NORMALISATION
from evaluation.scaling import ScalingError
from evaluation.scaling.aggregation import aggregate
from evaluation.scaling.normalisation import normalise

Mask = NDArray[np.bool_]


class Variant(NamedTuple):
    """Gains of a topic's pool, NaN without a score, and how many units they are from."""

    gains: Floats  # (d,)
    units: int


def gains(
    topic: TopicData,
    kept: Mask | None = None,
    normalisation: str = NORMALISATION,
    aggregation: str = AGGREGATION,
) -> Variant:
    """From some of the units, (u,), or all; the topic's centre is of these units alone."""
    units = np.ones(len(topic.scores), dtype=np.bool_) if kept is None else kept
    places = topic.places[units]
    columns = [(places == anchor).argmax(axis=1) for anchor in (topic.h_k, topic.n_k)]
    moved = topic.scores[units]
    if normalisation != "none":  # which levels stay as they are, 0 too
        moved = normalise(moved, normalisation, *columns).values
    return _aggregated(topic, moved, places, aggregation)


def without_anchors(topic: TopicData) -> Variant:
    """The centres of units and of the topic are those of the documents that are no anchors."""
    others = (topic.places != topic.h_k) & (topic.places != topic.n_k)
    rest = topic.scores[others].reshape(len(topic.scores), -1)
    _, gamma, gamma_u = normalise(rest)
    with np.errstate(over="ignore", under="ignore"):
        moved = np.exp(np.log(topic.scores) + np.log(gamma) - np.log(gamma_u)[:, np.newaxis])
    if not ((moved > 0) & np.isfinite(moved)).all():
        raise ScalingError(
            f"topic {topic.query_id}: centred without its anchors, a score is no positive number"
        )
    return _aggregated(topic, moved, topic.places, AGGREGATION)


def _aggregated(topic: TopicData, moved: Floats, places: NDArray[np.int64], how: str) -> Variant:
    found = aggregate(moved.ravel(), places.ravel(), len(topic.doc_ids), how)
    return Variant(found.values, len(places))
