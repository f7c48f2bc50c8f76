"""How far a ranking changes when as many units are left out at random, as a choice leaves out."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evaluation.study import scoring
from evaluation.study.data import Floats, Mask, StudyData
from evaluation.study.topics import TopicData, rescaled
from magnitudes.comparison.correlation import tau_many
from magnitudes.comparison.pairs import share_of_draws
from magnitudes.comparison.recomputing import recompute
from magnitudes.measures.names import Measure

N_RESAMPLES = 199
ENDS = 0.025, 0.975


class Band(NamedTuple):
    """Tau of the main ranking with those from random units: 95% of them; p that it is as low."""

    low: float
    high: float
    p: float


NO_BAND = Band(np.nan, np.nan, np.nan)


def band(
    data: StudyData,
    keeps: Callable[[TopicData], Mask],
    normalisation: str,
    main: Floats,
    tau: float,
) -> Band:
    """The band of a choice that leaves out whole units, by the first measure.

    keeps: of a topic, which units the choice keeps, (u,). main: the values of the main ranking,
    (topics, systems); tau: of it with that of the choice. p is the share of random rankings with no
    higher tau, the choice among them; all is NaN where it leaves out nothing, or orders nothing.
    """
    kept, measure = [(topic, keeps(topic)) for topic in data.topics], scoring.first(data.study)
    if np.isnan(tau) or all(some.all() for _, some in kept):
        return NO_BAND
    rng = np.random.default_rng(data.seed)
    left = (each for each in kept if each[1].any())
    values = np.mean([_values(*each, normalisation, measure, rng) for each in left], axis=0)
    taus = tau_many(main.mean(axis=0), values.T)
    taus = taus[~np.isnan(taus)]
    if not taus.size:
        return NO_BAND
    low, high = np.quantile(taus, ENDS).tolist()
    return Band(low, high, float(share_of_draws((taus <= tau + 1e-12).sum(), len(taus))))


def _values(
    topic: TopicData, kept: Mask, normalisation: str, measure: Measure, rng: np.random.Generator
) -> Floats:
    """Of every system by random units, (systems, draws)."""
    drawn = scoring.drawable(topic, topic.lists)
    gains = np.full((drawn.size, 1 if kept.all() else N_RESAMPLES), np.nan)
    for draw in range(gains.shape[1]):
        some = rescaled(topic, rng.permutation(kept), normalisation)
        gains[: len(topic.gains), draw] = some.gains
    return np.broadcast_to(recompute(drawn, measure)(gains), (len(drawn.codes), N_RESAMPLES))
