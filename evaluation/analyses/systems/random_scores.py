"""How far an order of systems agrees with that by labels with one random score a document.

Of the analysis `resampling`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.analyses.systems.ranked_systems import Systems
from evaluation.study import scoring
from evaluation.study.data import Floats
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.resampling import resample

DRAWS = 1000


class Taus(NamedTuple):
    """Tau with the order by labels: of each draw (NaN: all systems equal), and of all scores."""

    systems: str
    labels: str  # and the measure
    of_draws: Floats
    of_all: float
    reason: str

    @property
    def defined(self) -> Floats:
        return self.of_draws[~np.isnan(self.of_draws)]


def taus_of(systems: Systems, seed: int) -> Iterator[Taus]:
    topics = systems.topics
    scored = [scoring.drawable(*pair) for pair in zip(topics, systems.lists, strict=True)]
    everything = [scoring.magnitudes(topic) for topic in topics]
    for kind in scoring.kinds(topics):
        labels = [scoring.labels(topic, scoring.KINDS[kind]) for topic in topics]
        for measure in systems.measures:
            by_labels = systems.measure(labels, measure).values
            by_all = systems.measure(everything, measure).values
            name = f"order by {kind} labels"
            resampled = resample(scored, measure, by_labels, DRAWS, seed, name=name)
            yield Taus(
                systems.called,
                f"{measure.name}, {kind}",
                resampled.taus,
                tau_b(by_labels.mean(axis=0), by_all.mean(axis=0)),
                resampled.reason,
            )
