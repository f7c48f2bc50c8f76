"""The traits of a crowd, estimated from what it has judged.

Approximate Bayesian computation: simulated crowds with traits drawn from the prior, uniform within
`BOUNDS`, judge the units of the pilot. Those with the closest summary statistics are accepted, and
moved by regression adjustment: Beaumont, Zhang and Balding, Approximate Bayesian computation in
population genetics, Genetics 162(4), 2002.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy  # its parts are loaded when they are used
from numpy.typing import NDArray

from crowd import model, vectorised
from crowd.vectorised import CrowdTraits
from workspace.planning.simulating import ANCHORS, scaled, true_log_gains

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[float], None]
N_DRAWS = 500
ACCEPTED_SHARE = 0.3  # of the draws
MIN_UNITS = 10
MAX_UNITS = 600  # of a pilot; more would take long, and say little more
# Of noise (its log), slope, careless and spread.
BOUNDS = np.array([[np.log(0.3), np.log(3.0)], [0.02, 0.9], [0.0, 0.6], [0.1, 1.5]])
MIN_CORRELATION = 0.3  # with gains, below which a unit looks careless


@dataclass(frozen=True, eq=False)
class JudgedTopic:
    """The completed units of one topic of a pilot.

    rows: (units, unit size), places of documents, H_k (0) and N_k (1) first; scores: as rows;
    labels: (n,), of the documents, NaN where one has none.
    """

    rows: Ints
    scores: Floats
    labels: Floats


@dataclass(frozen=True, eq=False)
class Pilot:
    """levels, highest, schemes: as of a `Design`."""

    topics: Sequence[JudgedTopic]
    levels: int
    highest: float
    schemes: tuple[str, str]

    @property
    def units(self) -> int:
        return sum(len(topic.rows) for topic in self.topics)

    def limited(self, seed: int) -> "Pilot":
        """With topics drawn at random, if all of them have too many units."""
        order = np.random.default_rng([seed, len(self.topics)]).permutation(len(self.topics))
        sizes = np.array([len(self.topics[place].rows) for place in order])
        before = np.cumsum(sizes) - sizes
        places = np.sort(order[before < MAX_UNITS])
        topics = [self.topics[place] for place in places]
        return Pilot(topics, self.levels, self.highest, self.schemes)


class Posterior(NamedTuple):
    trait_draws: Sequence[CrowdTraits]

    def interval(self, trait: str) -> tuple[float, float, float]:
        """The 2.5%, 50% and 97.5% quantiles."""
        values = [getattr(traits, trait) for traits in self.trait_draws]
        low, median, high = np.quantile(values, [0.025, 0.5, 0.975]).tolist()
        return low, median, high


class TooFewUnits(ValueError):
    """A pilot that says too little of its crowd."""


def fit(pilot: Pilot, seed: int, progress: Progress = lambda share: None) -> Posterior:
    if pilot.units < MIN_UNITS:
        raise TooFewUnits(
            f"{pilot.units} completed units say too little of a crowd; expected at least "
            f"{MIN_UNITS}"
        )
    pilot = pilot.limited(seed)
    prior = model.draws(seed, "natures").random((N_DRAWS, len(BOUNDS)))
    simulated = np.empty((N_DRAWS, len(summary_statistics(pilot))))
    for number, point in enumerate(prior):
        judged = judged_by(pilot, _traits_at(point), seed, "pilot", number)
        simulated[number] = summary_statistics(judged)
        progress((number + 1) / N_DRAWS)
    adjusted = _adjusted(prior, simulated, summary_statistics(pilot))
    return Posterior([_traits_at(point) for point in adjusted])


def _traits_at(point: Floats) -> CrowdTraits:
    """The traits at a point of the unit cube, which stands for `BOUNDS`."""
    low, high = BOUNDS.T
    noise, slope, careless, spread = (low + point * (high - low)).tolist()
    return CrowdTraits(float(np.exp(noise)), slope, careless, spread)


def _adjusted(prior: Floats, simulated: Floats, observed: Floats) -> Floats:
    centre, scale = simulated.mean(axis=0), simulated.std(axis=0)
    scale[scale == 0] = 1.0
    standard, target = (simulated - centre) / scale, (observed - centre) / scale
    features = np.column_stack([standard, standard**2])
    logits = scipy.special.logit(prior)
    slopes = _regression(features, logits)
    # Distances are between predictions of the traits: statistics that predict none do not count.
    at = np.concatenate([target, target**2])
    predicted, predicted_observed = features @ slopes, at @ slopes
    distance = (((predicted - predicted_observed) / predicted.std(axis=0)) ** 2).sum(axis=1)
    accepted = np.argsort(distance)[: int(ACCEPTED_SHARE * len(prior))]
    slopes = _regression(predicted[accepted], logits[accepted])
    moved = logits[accepted] + (predicted_observed - predicted[accepted]) @ slopes
    return scipy.special.expit(moved)


def _regression(features: Floats, outcomes: Floats) -> Floats:
    """Slopes of a linear regression, (features, outcomes), without the intercepts."""
    with_one = np.column_stack([features, np.ones(len(features))])
    return np.asarray(np.linalg.lstsq(with_one, outcomes, rcond=None)[0][:-1], dtype=np.float64)


def judged_by(pilot: Pilot, traits: CrowdTraits, *key: object) -> Pilot:
    """The units of a pilot as a simulated crowd judges them; all draws depend on the key alone."""
    crowd = vectorised.people(
        model.draws(*key, "people"), max(len(topic.rows) for topic in pilot.topics), traits
    )
    topics = []
    for number, topic in enumerate(pilot.topics):
        draw = model.draws(*key, number)
        gains = true_log_gains(topic.labels, pilot.highest, traits, draw)
        workers = crowd.take(draw.permutation(len(crowd.slope))[: len(topic.rows)])
        scores = vectorised.scores_of(draw, workers, gains[topic.rows], traits, pilot.levels)
        topics.append(JudgedTopic(topic.rows, scores, topic.labels))
    return Pilot(topics, pilot.levels, pilot.highest, pilot.schemes)


def summary_statistics(pilot: Pilot) -> Floats:
    """The summary statistics by which crowds are compared, whatever their own scales.

    Mean distances of scores from the gains of their documents, and of those of anchors; mean and
    spread within units of the difference between anchors; the units that contradict the gains, and
    the slopes of the others; differences of gains within a label.
    """
    parts = [_topic_statistics(pilot, topic) for topic in pilot.topics if len(topic.rows)]
    distances, anchor_distances, anchor_differences, correlations, slopes, gains = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    n_usual = correlations[correlations >= MIN_CORRELATION].size
    return np.array(
        [
            *_log_quantiles(distances),
            *_log_quantiles(anchor_distances),
            anchor_differences.mean(),
            anchor_differences.std(),
            (correlations < MIN_CORRELATION).mean(),
            correlations.mean(),
            slopes[correlations >= MIN_CORRELATION].std() if n_usual > 1 else 0.0,
            slopes.std(),
            np.log(gains.std() + 0.01) if gains.size else 0.0,
        ]
    )


def _log_quantiles(distances: Floats) -> Floats:
    return np.log(np.quantile(distances, [0.5, 0.9]) + 0.01) if distances.size else np.zeros(2)


def _topic_statistics(pilot: Pilot, topic: JudgedTopic) -> tuple[Floats, ...]:
    """Distances of scores and of anchors' scores, then a number for each unit, then gains."""
    result = scaled(topic.rows, topic.scores, len(topic.labels), pilot.schemes)
    log = (lambda values: values) if pilot.levels else np.log
    scores, gains = log(result.normalised), np.zeros(len(topic.labels))
    counts = np.zeros(len(topic.labels), dtype=np.int64)
    gains[result.documents], counts[result.documents] = log(result.gains), result.counts
    expected = gains[topic.rows]
    distances = np.abs(scores - expected)
    others = np.s_[:, ANCHORS:]
    centred = expected - expected.mean(axis=1, keepdims=True)
    moved = scores - scores.mean(axis=1, keepdims=True)
    squares, products = (centred**2).sum(axis=1), (centred * moved).sum(axis=1)
    lengths = np.sqrt(squares * (moved**2).sum(axis=1))
    correlations = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    slopes = np.divide(products, squares, out=np.zeros_like(products), where=squares > 0)
    # What the careless give would hide how far apart the others are.
    counted = (counts[topic.rows] > 1) & (correlations >= MIN_CORRELATION)[:, np.newaxis]
    anchor_differences = scores[:, 0] - scores[:, 1]
    judged_places = np.flatnonzero(counts[ANCHORS:]) + ANCHORS
    return (
        distances[others][counted[others]],
        distances[:, :ANCHORS][counted[:, :ANCHORS]],
        anchor_differences,
        correlations,
        slopes,
        _within_labels(gains[judged_places], topic.labels[judged_places]),
    )


def _within_labels(gains: Floats, labels: Floats) -> Floats:
    groups = np.unique(np.nan_to_num(labels, nan=-1e9), return_inverse=True)[1]
    counts = np.bincount(groups)
    return gains - (np.bincount(groups, gains) / counts)[groups]
