"""Other choices that could have been made about units, centres and aggregation, by name."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from evaluation.analyses.study import variants
from evaluation.analyses.study.data import StudyData, TopicData
from evaluation.analyses.study.typed import typed
from evaluation.analyses.study.variants import Mask, Variant
from evaluation.pipeline import AGGREGATION, NORMALISATION
from evaluation.scaling.aggregation import AGGREGATORS
from evaluation.scaling.normalisation import SCHEMES
from evaluation.spread.spread import is_extreme

FIGURES = 2
Choice = Callable[[TopicData], Variant]


def choices(data: StudyData) -> Iterator[tuple[str, Choice]]:
    """Every choice, and the gains of a topic under it."""
    yield from _of_levels() if data.study.is_graded else _of_magnitudes(data)


def _of_levels() -> Iterator[tuple[str, Choice]]:
    yield "no failed finish", _of_units(lambda topic: topic.failed == 0, "none")
    yield "first unit of a worker", _of_units(lambda topic: topic.earlier == 0, "none")
    mean = partial(variants.gains, normalisation="none", aggregation="arithmetic")
    yield "aggregated: arithmetic", mean


def _of_magnitudes(data: StudyData) -> Iterator[tuple[str, Choice]]:
    yield "no anchors in centres", variants.without_anchors
    yield "max / min below 10,000", _of_units(_not_far)
    keeping = data.by_topic(typed(data).ratios_followed(data.study.unit_size, FIGURES))
    yield "two-figure ratios", _of_units(lambda topic: keeping[topic.query_id])
    yield "no failed finish", _of_units(lambda topic: topic.failed == 0)
    yield "first unit of a worker", _of_units(lambda topic: topic.earlier == 0)
    for scheme in SCHEMES:
        if scheme != NORMALISATION:
            name = "not normalised" if scheme == "none" else f"normalised: {scheme}"
            yield name, partial(variants.gains, normalisation=scheme)
    for aggregator in AGGREGATORS:
        if aggregator != AGGREGATION:
            yield f"aggregated: {aggregator}", partial(variants.gains, aggregation=aggregator)


def _of_units(keeps: Callable[[TopicData], Mask], normalisation: str = NORMALISATION) -> Choice:
    return lambda topic: variants.gains(topic, keeps(topic), normalisation)


def _not_far(topic: TopicData) -> Mask:
    logs = np.log(topic.scores)
    return ~is_extreme(np.exp(np.minimum(np.ptp(logs, axis=1), 100)))
