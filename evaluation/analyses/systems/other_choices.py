"""Rankings as other choices would make them: of units, centres, normalisation and aggregation.

Of the analysis `sensitivity`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, tracked
from evaluation.analyses.systems.random_units import NO_BAND, band
from evaluation.pipeline import AGGREGATION, NORMALISATION
from evaluation.presentation import two_orders
from evaluation.presentation.frame import Frame
from evaluation.study import scoring
from evaluation.study.data import Floats, Mask, StudyData
from evaluation.study.topics import Rescaled, TopicData, centred_without_anchors, rescaled
from magnitudes.comparison.compared import compare
from magnitudes.comparison.holm import holm
from magnitudes.measures.names import Measure
from magnitudes.scaling import ScalingError
from magnitudes.scaling.aggregation import AGGREGATORS
from magnitudes.scaling.normalisation import SCHEMES
from magnitudes.spread.spread import is_extreme

FIGURES = 2  # significant ones of a ratio
LARGEST_LOG = 100  # of a ratio of scores; its exp is a double
OF_TAU = "tau", "low", "high", "overlap"  # columns, by each measure
Choice = Callable[[TopicData], Rescaled]


@dataclass(frozen=True)
class Selection:
    """A choice that leaves out units: which it keeps, (u,), and how scores are normalised."""

    keeps: Callable[[TopicData], Mask]
    normalisation: str = NORMALISATION

    def __call__(self, topic: TopicData) -> Rescaled:
        return rescaled(topic, self.keeps(topic), self.normalisation)


def choices(data: StudyData) -> Iterator[tuple[str, Choice]]:
    """Every choice by name, and the gains of a topic under it."""
    if data.study.is_graded:
        yield "no failed finish", Selection(_not_failed, "none")
        yield "first unit of a worker", Selection(_first, "none")
        mean = partial(rescaled, normalisation="none", aggregation="arithmetic")
        yield "aggregated: arithmetic", mean
    else:
        yield from _of_magnitudes(data)


def _of_magnitudes(data: StudyData) -> Iterator[tuple[str, Choice]]:
    yield "no anchors in centres", centred_without_anchors
    yield "max / min below 10,000", Selection(_not_far)
    followed = data.by_topic(data.judgments.typed.ratios_followed(data.judgments.units, FIGURES))
    yield "two-figure ratios", Selection(lambda topic: followed[topic.query_id])
    yield "no failed finish", Selection(_not_failed)
    yield "first unit of a worker", Selection(_first)
    for scheme in SCHEMES:
        if scheme != NORMALISATION:
            name = "not normalised" if scheme == "none" else f"normalised: {scheme}"
            yield name, partial(rescaled, normalisation=scheme)
    for aggregator in AGGREGATORS:
        if aggregator != AGGREGATION:
            yield f"aggregated: {aggregator}", partial(rescaled, aggregation=aggregator)


def _not_failed(topic: TopicData) -> Mask:
    return topic.failed == 0


def _first(topic: TopicData) -> Mask:
    return topic.earlier == 0


def _not_far(topic: TopicData) -> Mask:
    spans = np.ptp(np.log(topic.scores), axis=1)
    return ~is_extreme(np.exp(np.minimum(spans, LARGEST_LOG)))


def compute(data: StudyData, on_progress: OnProgress) -> tuple[Frame, list[str]]:
    """Every choice that is possible, and why numbers, or others, are not.

    Columns: what a choice leaves; by measure, its ranking against the main one; by the first
    measure the band of as many random units, where it leaves out some, and p.
    """
    main = [scoring.by_own_gains(data.topics, by) for by in scoring.measures(data.study)]
    rows, faults, reasons = [], [], set()
    for name, choice in tracked([*choices(data)], on_progress):
        try:
            row, why = _outcome(data, name, choice, main)
            rows.append(row)
            reasons |= why
        except ScalingError as fault:
            faults.append(f"{name}: {fault}")
    of_measures = [f"{column}_{name}" for name in scoring.NAMES for column in OF_TAU]
    names = ["choice", "units", "topics", "lost", *of_measures, "random_low", "random_high", "p"]
    outcomes = Frame.of_rows(names, rows)
    ends = [f"{end}_{name}" for name in scoring.NAMES for end in two_orders.ENDS]
    outcomes = two_orders.with_limits(outcomes, *ends).with_columns(p=holm(outcomes["p"]))
    return outcomes, [*faults, *sorted(reasons - {""})]


def _outcome(
    data: StudyData, name: str, choice: Choice, main: list[Floats]
) -> tuple[tuple[Any, ...], set[str]]:
    """A row, and why numbers are not defined; main: the main values by measure."""
    every = [(topic, choice(topic)) for topic in data.topics]
    left = [(topic, variant) for topic, variant in every if variant.units]
    unjudged = [np.isnan(variant.gains) & (topic.counts > 0) for topic, variant in every]
    names = ("main ranking", f"ranking with “{name}”")
    compared = [
        compare(values, _values(left, measure, len(data.runs)), names)
        for measure, values in zip(scoring.measures(data.study), main, strict=True)
    ]
    cells = [cell for each in compared for cell in (*each.tau[:3], each.overlap)]
    units, lost = sum(variant.units for _, variant in left), int(np.concatenate(unjudged).sum())
    of_random, tau = NO_BAND, compared[0].tau.tau
    if isinstance(choice, Selection):
        of_random = band(data, choice.keeps, choice.normalisation, main[0], tau)
    row = (name, units, len(left), lost, *cells, *of_random)
    return row, {each.reason for each in compared}


def _values(left: list[tuple[TopicData, Rescaled]], measure: Measure, systems: int) -> Floats:
    """On the topics that are left, (topics, systems)."""
    sources = [scoring.magnitudes(topic, variant.gains) for topic, variant in left]
    values = scoring.measure([topic for topic, _ in left], sources, measure).values
    return values.reshape(len(left), systems)
