"""What a crowd is like, from what it has judged.

Simulated crowds of many natures judge the units of the pilot; a nature is likely if its scores look
like those of the pilot, in a few numbers (`looks`). Draws of likely natures come from regression
adjustment: Beaumont, Zhang and Balding, Approximate Bayesian computation in population genetics,
Genetics 162(4), 2002. Every nature within `BOUNDS` is as likely before as any other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from crowd import many, model
from crowd.many import Nature
from workspace.planning.simulating import ANCHORS, scaled, true_log_gains

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Tell = Callable[[float], None]
NATURES = 500  # that are tried
KEPT = 0.3  # of them, whose scores look most like the pilot's
FEWEST_UNITS = 10
MOST_UNITS = 600  # of a pilot; more would take long, and say little more
# Of noise (its log), slope, careless and spread.
BOUNDS = np.array([[np.log(0.3), np.log(3.0)], [0.02, 0.9], [0.0, 0.6], [0.1, 1.5]])
LIKE_OTHERS = 0.3  # correlation with gains below which a unit looks careless


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
    """What a crowd has judged. levels, highest, schemes: as of a `Design`."""

    topics: Sequence[JudgedTopic]
    levels: int
    highest: float
    schemes: tuple[str, str]

    @property
    def units(self) -> int:
        return sum(len(topic.rows) for topic in self.topics)

    def bounded(self, seed: int) -> "Pilot":
        """Some topics of it, drawn at random, where all of them have too many units."""
        order = np.random.default_rng([seed, len(self.topics)]).permutation(len(self.topics))
        sizes = np.array([len(self.topics[place].rows) for place in order])
        before = np.cumsum(sizes) - sizes
        places = np.sort(order[before < MOST_UNITS])
        topics = [self.topics[place] for place in places]
        return Pilot(topics, self.levels, self.highest, self.schemes)


class Likely(NamedTuple):
    """Natures that a pilot's crowd may have, drawn by how likely they are."""

    natures: Sequence[Nature]

    def interval(self, trait: str) -> tuple[float, float, float]:
        """The 2.5%, 50% and 97.5% quantiles of a trait."""
        values = [getattr(nature, trait) for nature in self.natures]
        low, median, high = np.quantile(values, [0.025, 0.5, 0.975]).tolist()
        return low, median, high


class TooLittle(ValueError):
    """A pilot that says too little of its crowd."""


def fit(pilot: Pilot, seed: int, tell: Tell = lambda share: None) -> Likely:
    """The natures that the crowd of a pilot may have.

    Raises:
        TooLittle: fewer than `FEWEST_UNITS` completed units.
    """
    if pilot.units < FEWEST_UNITS:
        raise TooLittle(
            f"{pilot.units} completed units say too little of a crowd; expected at least "
            f"{FEWEST_UNITS}"
        )
    pilot = pilot.bounded(seed)
    tried = model.draws(seed, "natures").random((NATURES, len(BOUNDS)))
    looks_tried = np.empty((NATURES, len(looks(pilot))))
    for number, place in enumerate(tried):
        looks_tried[number] = looks(judged_by(pilot, _nature(place), seed, "pilot", number))
        tell((number + 1) / NATURES)
    return Likely([_nature(place) for place in _adjusted(tried, looks_tried, looks(pilot))])


def _nature(place: Floats) -> Nature:
    """The nature at a place between the bounds, from 0 to 1 each."""
    low, high = BOUNDS.T
    noise, slope, careless, spread = (low + place * (high - low)).tolist()
    return Nature(float(np.exp(noise)), slope, careless, spread)


def _adjusted(tried: Floats, looks_tried: Floats, observed: Floats) -> Floats:
    """The places of natures that look most alike, moved to where they would look the same."""
    centre, scale = looks_tried.mean(axis=0), looks_tried.std(axis=0)
    scale[scale == 0] = 1.0
    standard, target = (looks_tried - centre) / scale, (observed - centre) / scale
    features = np.column_stack([standard, standard**2])
    slopes = _regression(features, logit(tried))
    # In what the looks say of each trait, and not in looks that say nothing, lie the distances.
    at = np.concatenate([target, target**2])
    told, told_observed = features @ slopes, at @ slopes
    distance = (((told - told_observed) / told.std(axis=0)) ** 2).sum(axis=1)
    near = np.argsort(distance)[: int(KEPT * len(tried))]
    slopes = _regression(told[near], logit(tried[near]))
    return expit(logit(tried[near]) + (told_observed - told[near]) @ slopes)


def _regression(features: Floats, outcomes: Floats) -> Floats:
    """Slopes of a linear regression, (features, outcomes), without the intercepts."""
    with_one = np.column_stack([features, np.ones(len(features))])
    return np.asarray(np.linalg.lstsq(with_one, outcomes, rcond=None)[0][:-1], dtype=np.float64)


def judged_by(pilot: Pilot, nature: Nature, *key: object) -> Pilot:
    """The units of a pilot as a simulated crowd judges them; all draws belong to the key."""
    crowd = many.people(
        model.draws(*key, "people"), max(len(topic.rows) for topic in pilot.topics), nature
    )
    topics = []
    for number, topic in enumerate(pilot.topics):
        draw = model.draws(*key, number)
        gains = true_log_gains(topic.labels, pilot.highest, nature, draw)
        workers = crowd.take(draw.permutation(len(crowd.slope))[: len(topic.rows)])
        scores = many.judged(draw, workers, gains[topic.rows], nature, pilot.levels)
        topics.append(JudgedTopic(topic.rows, scores, topic.labels))
    return Pilot(topics, pilot.levels, pilot.highest, pilot.schemes)


def looks(pilot: Pilot) -> Floats:
    """A few numbers that tell crowds apart, whatever their own scales.

    Of scores that differ from the gains of their documents, and of those of anchors, the mean
    distance; how anchors differ within units, in the mean and in spread; how many units do not go
    with the gains, and how steeply the others do; and how gains differ within one label.
    """
    parts = [_topic_looks(pilot, topic) for topic in pilot.topics if len(topic.rows)]
    off, off_anchors, apart, alike, slopes, gains = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    usual = alike[alike >= LIKE_OTHERS].size
    return np.array(
        [
            *_log_quantiles(off),
            *_log_quantiles(off_anchors),
            apart.mean(),
            apart.std(),
            (alike < LIKE_OTHERS).mean(),
            alike.mean(),
            slopes[alike >= LIKE_OTHERS].std() if usual > 1 else 0.0,
            slopes.std(),
            np.log(gains.std() + 0.01) if gains.size else 0.0,
        ]
    )


def _log_quantiles(distances: Floats) -> Floats:
    """Of the usual distance and of large ones."""
    return np.log(np.quantile(distances, [0.5, 0.9]) + 0.01) if distances.size else np.zeros(2)


def _topic_looks(pilot: Pilot, topic: JudgedTopic) -> tuple[Floats, ...]:
    """Distances of scores and of anchors' scores, then a number for each unit, then gains."""
    result = scaled(topic.rows, topic.scores, len(topic.labels), pilot.schemes)
    log = (lambda values: values) if pilot.levels else np.log
    scores, gains = log(result.normalised), np.zeros(len(topic.labels))
    counts = np.zeros(len(topic.labels), dtype=np.int64)
    gains[result.documents], counts[result.documents] = log(result.gains), result.counts
    expected = gains[topic.rows]
    off = np.abs(scores - expected)
    others = np.s_[:, ANCHORS:]
    centred = expected - expected.mean(axis=1, keepdims=True)
    moved = scores - scores.mean(axis=1, keepdims=True)
    squares, products = (centred**2).sum(axis=1), (centred * moved).sum(axis=1)
    lengths = np.sqrt(squares * (moved**2).sum(axis=1))
    alike = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    slopes = np.divide(products, squares, out=np.zeros_like(products), where=squares > 0)
    # What the careless give would hide how far apart the others are.
    counted = (counts[topic.rows] > 1) & (alike >= LIKE_OTHERS)[:, np.newaxis]
    apart = scores[:, 0] - scores[:, 1]
    judged = np.flatnonzero(counts[ANCHORS:]) + ANCHORS
    return (
        off[others][counted[others]],
        off[:, :ANCHORS][counted[:, :ANCHORS]],
        apart,
        alike,
        slopes,
        _within_labels(gains[judged], topic.labels[judged]),
    )


def _within_labels(gains: Floats, labels: Floats) -> Floats:
    """Gains, less the mean of those of the same label."""
    groups = np.unique(np.nan_to_num(labels, nan=-1e9), return_inverse=True)[1]
    counts = np.bincount(groups)
    return gains - (np.bincount(groups, gains) / counts)[groups]
