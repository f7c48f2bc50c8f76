"""How far a ranking changes when as many units are left out at random, as a choice leaves out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.study import scoring
from evaluation.study.data import Floats, Mask
from evaluation.study.topics import TopicData, rescaled
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.pairs import share_of_draws
from magnitudes.comparison.ranks import rounded
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
    topics: Sequence[TopicData],
    kept: Sequence[Mask],
    normalisation: str,
    measure: Measure,
    main: Floats,
    tau: float,
    seed: int,
) -> Band:
    """The band of a choice that leaves out whole units.

    Parameters:
        topics: those of the study. kept: of each, which units the choice keeps, (u,).
        normalisation: of scores. measure: by which systems are ranked.
        main: shape (topics, systems), the values of the main ranking.
        tau: of the main ranking with that of the choice.

    Returns:
        The band, and p = (1 + how many of the random rankings have no higher tau) / (1 + all). NaN
        where the choice leaves out nothing, or orders nothing.
    """
    left = [place for place, some in enumerate(kept) if some.any()]
    if np.isnan(tau) or all(some.all() for some in kept):
        return NO_BAND
    rng = np.random.default_rng(seed)
    values = np.mean(
        [_values(topics[place], kept[place], normalisation, measure, rng) for place in left],
        axis=0,
    )
    usual = rounded(main.mean(axis=0))
    taus = np.array([tau_b(usual, rounded(of_draw)) for of_draw in values.T])
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
        gains[: len(topic.gains), draw] = rescaled(
            topic, rng.permutation(kept), normalisation
        ).gains
    return np.broadcast_to(recompute(drawn, measure)(gains), (len(drawn.codes), N_RESAMPLES))
