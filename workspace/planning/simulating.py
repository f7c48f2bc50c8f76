"""Studies judged by artificial workers in a moment, from a pool to values of systems.

Scores go the way of people's: `pipeline.scale` makes gains of them, and the study's first measure
ranks the systems. So does the truth, so that the two orders can be compared.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crowd import many, model
from crowd.many import Nature
from evaluation import pipeline
from evaluation.comparison.drawing import Topic
from evaluation.comparison.recomputing import Recompute, recompute
from evaluation.measures.names import Measure, parse
from judging import completed
from judging.studies.drawing import units_needed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MEASURE = parse(pipeline.MEASURES[0])
ANCHORS = 2
TYPICAL_UNITS = 5  # of a worker, where nothing is known: about the mean of the model's


@dataclass(frozen=True, eq=False)
class TopicPool:
    """What is judged on one topic: n documents, H_k first, N_k second; and how r systems rank them.

    labels: (n,), NaN where a document has none. lists: (r, ranks), places of documents; n is a
    document outside the pool, -1 below the end of a list.
    """

    query_id: str
    labels: Floats
    lists: Ints
    measure: Measure = MEASURE

    @property
    def documents(self) -> int:
        return len(self.labels)

    @cached_property
    def measured(self) -> Recompute:
        """Values of all systems, (r, choices), from gains, (n + 1, choices)."""
        nothing = np.empty(0, dtype=np.int64)
        return recompute(
            Topic(self.lists, nothing.astype(float), nothing, self.documents + 1), self.measure
        )


@dataclass(frozen=True, eq=False)
class Design:
    """How a study is judged. levels: how many its scale has, 0 for magnitudes."""

    pools: Sequence[TopicPool]
    unit_size: int
    levels: int
    highest: float  # of the labels' levels; 0 where there are no labels
    schemes: tuple[str, str]  # normalisation and aggregation

    def units(self, redundancy: int) -> Ints:
        """How many units each topic needs, (topics,)."""
        return np.array(
            [units_needed(pool.documents, redundancy, self.unit_size) for pool in self.pools]
        )


class Simulated(NamedTuple):
    """A study that was judged with 1, 2, ... scores for each document, and its truth.

    values: (redundancies, topics, systems); true_values: (topics, systems); errors:
    (redundancies,), by how much gains differ from the true ones: logs of ratios, or levels.
    """

    values: Floats
    true_values: Floats
    errors: Floats


def simulate(design: Design, nature: Nature, most: int, *key: object) -> Simulated:
    """Have a new crowd judge new documents, up to a redundancy; all draws belong to the key."""
    largest = int(design.units(most).max())
    whole = math.ceil(int(design.units(most).sum()) / TYPICAL_UNITS)
    crowd = many.people(model.draws(*key, "people"), max(largest, whole), nature)
    topics = [
        _topic(design, pool, crowd, nature, most, model.draws(*key, pool.query_id))
        for pool in design.pools
    ]
    values, true_values, errors = (
        np.stack(columns, axis=1) for columns in zip(*topics, strict=True)
    )
    return Simulated(values, true_values[0], errors.mean(axis=1))


def _topic(
    design: Design,
    pool: TopicPool,
    crowd: many.People,
    nature: Nature,
    most: int,
    draw: np.random.Generator,
) -> tuple[Floats, Floats, Floats]:
    """One topic: values (redundancies, systems), true values (1, systems), errors."""
    log_gains = true_log_gains(pool.labels, design.highest, nature, draw)
    rows = nested_units(pool.documents, design.unit_size, most, draw)
    workers = crowd.take(draw.choice(len(crowd.slope), len(rows), replace=False))
    scores = many.judged(draw, workers, log_gains[rows], nature, design.levels)
    gains = np.stack(
        [
            scaled(rows[:units], scores[:units], pool.documents, design.schemes).gains
            for units in (
                units_needed(pool.documents, redundancy, design.unit_size)
                for redundancy in range(1, most + 1)
            )
        ]
    )
    truth = many.as_levels(log_gains, design.levels) if design.levels else np.exp(log_gains)
    errors = np.array([error(row, truth, design.levels) for row in gains])
    return _values(pool, gains), _values(pool, truth[np.newaxis]), errors


def true_log_gains(
    labels: Floats, highest: float, nature: Nature, draw: np.random.Generator
) -> Floats:
    """True log gains of a topic's documents, the anchors' as the model has them: (n,)."""
    log_gains = many.log_gains(draw, labels, highest, nature)
    log_gains[:ANCHORS] = model.LEVELS[-1], model.LEVELS[0]
    return log_gains


def nested_units(documents: int, unit_size: int, most: int, draw: np.random.Generator) -> Ints:
    """Units of a topic so that the first of them are a plan with a smaller redundancy.

    As many as `units_needed` has for each redundancy give every document at least so many scores,
    none twice in a unit, use counts at most one apart.

    Returns:
        (units, unit size), places of documents, both anchors (0, 1) first.
    """
    others, per_unit = documents - ANCHORS, unit_size - ANCHORS
    whole = units_needed(documents, most, unit_size)
    slots = np.empty(whole * per_unit + others, dtype=np.int64)
    for begin in range(0, whole * per_unit, others):
        open_unit = slots[begin - begin % per_unit : begin]  # which the last round left
        places_left = -len(open_unit) % per_unit
        slots[begin : begin + others] = _without_first(
            draw.permutation(others), open_unit, places_left
        )
    units = slots[: whole * per_unit].reshape(whole, per_unit) + ANCHORS
    return np.concatenate([np.tile([0, 1], (whole, 1)), units], axis=1)


def _without_first(order: Ints, unwanted: Ints, first: int) -> Ints:
    """An order in which none of some numbers is among the first; others take their places."""
    is_unwanted = np.isin(order, unwanted)
    from_here = np.flatnonzero(is_unwanted[:first])
    to_there = np.flatnonzero(~is_unwanted[first:])[: len(from_here)] + first
    order[from_here], order[to_there] = order[to_there], order[from_here]
    return order


def scaled(rows: Ints, scores: Floats, documents: int, schemes: tuple[str, str]) -> pipeline.Scaled:
    """Normalised scores and gains of completed units of a topic, as the pipeline makes them."""
    keys = np.arange(documents)
    done = completed.Completed(0, np.arange(len(rows)), rows, scores)
    return pipeline.scale(done, completed.Pool(keys, keys, 0, 1), *schemes)


def error(gains: Floats, truth: Floats, levels: int) -> float:
    """How far gains of a topic lie from the true ones, in the mean: in levels, or logs of ratios.

    A factor on all gains of a topic makes no difference to magnitudes.
    """
    off = gains - truth if levels else np.log(gains / truth)
    return float(np.abs(off - (0 if levels else np.median(off))).mean())


def _values(pool: TopicPool, gains: Floats) -> Floats:
    """Of gains, (choices, n), the values of all systems, (choices, systems)."""
    unjudged = np.full((1, len(gains)), np.nan)
    return pool.measured(np.concatenate([gains.T, unjudged])).T
