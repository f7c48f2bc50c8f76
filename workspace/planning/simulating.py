"""Studies judged by artificial workers, as arrays, from a pool to values of systems.

`pipeline.scale` makes gains of scores, as of people's, and the study's first measure ranks the
systems, by these gains and by the true ones, so that the two orders can be compared.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crowd import model, vectorised
from crowd.vectorised import CrowdTraits
from evaluation import pipeline
from judging import completed
from judging.studies.drawing import units_needed
from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.recomputing import Recompute, recompute
from magnitudes.measures.names import Measure, parse

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
    """levels: of the study's scale, 0 for magnitudes."""

    pools: Sequence[TopicPool]
    unit_size: int
    levels: int
    highest: float  # of the labels' levels; 0 where there are no labels
    schemes: tuple[str, str]  # normalisation and aggregation

    def units(self, redundancy: int) -> Ints:
        return np.array(
            [units_needed(pool.documents, redundancy, self.unit_size) for pool in self.pools]
        )


class Simulated(NamedTuple):
    """A study that was judged with 1, 2, ... scores for each document, and its truth.

    values: (redundancies, topics, systems); true_values: (topics, systems); errors:
    (redundancies,), by which gains differ from the true ones, in logs of ratios or in levels.
    """

    values: Floats
    true_values: Floats
    errors: Floats


def simulate(design: Design, traits: CrowdTraits, max_redundancy: int, *key: object) -> Simulated:
    """A new crowd judges new documents, up to a redundancy; all draws depend on the key alone."""
    largest_topic = int(design.units(max_redundancy).max())
    usual_people = math.ceil(int(design.units(max_redundancy).sum()) / TYPICAL_UNITS)
    crowd = vectorised.people(model.draws(*key, "people"), max(largest_topic, usual_people), traits)
    topics = [
        _topic(design, pool, crowd, traits, max_redundancy, model.draws(*key, pool.query_id))
        for pool in design.pools
    ]
    values, true_values, errors = (
        np.stack(columns, axis=1) for columns in zip(*topics, strict=True)
    )
    return Simulated(values, true_values[0], errors.mean(axis=1))


def _topic(
    design: Design,
    pool: TopicPool,
    crowd: vectorised.People,
    traits: CrowdTraits,
    max_redundancy: int,
    draw: np.random.Generator,
) -> tuple[Floats, Floats, Floats]:
    """Values (redundancies, systems), true values (1, systems), errors."""
    log_gains = true_log_gains(pool.labels, design.highest, traits, draw)
    rows = nested_units(pool.documents, design.unit_size, max_redundancy, draw)
    workers = crowd.take(draw.choice(len(crowd.slope), len(rows), replace=False))
    scores = vectorised.scores_of(draw, workers, log_gains[rows], traits, design.levels)
    gains = np.stack(
        [
            scaled(rows[:units], scores[:units], pool.documents, design.schemes).gains
            for units in (
                units_needed(pool.documents, redundancy, design.unit_size)
                for redundancy in range(1, max_redundancy + 1)
            )
        ]
    )
    truth = vectorised.as_levels(log_gains, design.levels) if design.levels else np.exp(log_gains)
    errors = np.array([error(row, truth, design.levels) for row in gains])
    return _values(pool, gains), _values(pool, truth[np.newaxis]), errors


def true_log_gains(
    labels: Floats, highest: float, traits: CrowdTraits, draw: np.random.Generator
) -> Floats:
    """The anchors' as the model has them; (n,)."""
    log_gains = vectorised.log_gains(draw, labels, highest, traits)
    log_gains[:ANCHORS] = model.LEVELS[-1], model.LEVELS[0]
    return log_gains


def nested_units(documents: int, unit_size: int, judges: int, draw: np.random.Generator) -> Ints:
    """Units of a topic so that the first of them are a plan with a smaller redundancy.

    As many as `units_needed` has for each redundancy give every document at least so many scores,
    none twice in a unit, use counts at most one apart.

    Returns:
        (units, unit size), places of documents, both anchors (0, 1) first.
    """
    n_others, per_unit = documents - ANCHORS, unit_size - ANCHORS
    n_units = units_needed(documents, judges, unit_size)
    slots = np.empty(n_units * per_unit + n_others, dtype=np.int64)
    for begin in range(0, n_units * per_unit, n_others):
        open_unit = slots[begin - begin % per_unit : begin]  # which the last round left
        places_left = -len(open_unit) % per_unit
        slots[begin : begin + n_others] = _without_first(
            draw.permutation(n_others), open_unit, places_left
        )
    units = slots[: n_units * per_unit].reshape(n_units, per_unit) + ANCHORS
    return np.concatenate([np.tile([0, 1], (n_units, 1)), units], axis=1)


def _without_first(order: Ints, unwanted: Ints, first: int) -> Ints:
    """An order with none of `unwanted` among the first; others take their places."""
    is_unwanted = np.isin(order, unwanted)
    sources = np.flatnonzero(is_unwanted[:first])
    targets = np.flatnonzero(~is_unwanted[first:])[: len(sources)] + first
    order[sources], order[targets] = order[targets], order[sources]
    return order


def scaled(rows: Ints, scores: Floats, documents: int, schemes: tuple[str, str]) -> pipeline.Scaled:
    """Normalised scores and gains of completed units of a topic, as the pipeline makes them."""
    keys = np.arange(documents)
    judgments = completed.Completed(0, np.arange(len(rows)), rows, scores)
    return pipeline.scale(judgments, completed.Pool(keys, keys, 0, 1), *schemes)


def error(gains: Floats, truth: Floats, levels: int) -> float:
    """The mean distance of gains of a topic from the true ones, in levels or logs of ratios.

    A factor on all gains of a topic makes no difference to magnitudes.
    """
    differences = gains - truth if levels else np.log(gains / truth)
    return float(np.abs(differences - (0 if levels else np.median(differences))).mean())


def _values(pool: TopicPool, gains: Floats) -> Floats:
    """Gains: (choices, n); values: (choices, systems)."""
    unjudged = np.full((1, len(gains)), np.nan)
    return pool.measured(np.concatenate([gains.T, unjudged])).T
