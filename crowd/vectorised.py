"""Many artificial workers at once, as arrays.

Distributions are those of `model`. Draws come from the generator that is given, so they differ from
those of a worker of `model`.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crowd import model
from crowd.behaviour import PREPARATION_SECONDS
from judging.numbers import MAX_SCORE, MIN_SCORE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
MAX_TRIES = 100  # of Finish, until both anchors are in order
PAGES_BEFORE = 6  # from agreeing to the first document: practice 4, instructions, topic
SAMPLE = 20_000  # units, for what is usual


@dataclass(frozen=True)
class CrowdTraits:
    """What differs between crowds; the defaults are those of `model`.

    noise: a factor on the spread of the scores of a document; slope: spread of the log of workers'
    slopes; careless: share of workers whose scores say nothing; spread: of true log gains about
    those of their levels.
    """

    noise: float = 1.0
    slope: float = model.SLOPES
    careless: float = model.CARELESS
    spread: float = model.SPREAD


class People(NamedTuple):
    """A column for each trait of `model.Person`, all (people,)."""

    modulus: Floats
    slope: Floats
    habit: Ints
    has_ceiling: Mask
    is_careless: Mask
    writes_tiny: Mask

    def take(self, places: Ints) -> "People":
        columns: Any = (column[places] for column in self)
        return People(*columns)


def people(draw: np.random.Generator, number: int, traits: CrowdTraits) -> People:
    return People(
        modulus=draw.normal(*model.MODULUS, number),
        slope=draw.lognormal(0, traits.slope, number),
        habit=draw.choice(len(model.HABITS), number, p=model.HABIT_CHANCES),
        has_ceiling=draw.random(number) < model.CEILING_CHANCE,
        is_careless=draw.random(number) < traits.careless,
        writes_tiny=draw.random(number) < model.TINY_CHANCE,
    )


def log_gains(
    draw: np.random.Generator, labels: ArrayLike, highest: float, traits: CrowdTraits
) -> Floats:
    """True log gains of documents that are no anchors, as `model.log_gain` draws each.

    labels: (n,), NaN where a document has none; highest: the top level of the labels' scale.
    """
    values = np.asarray(labels, dtype=np.float64)
    levels = 3 * np.maximum(values, 0) / max(highest, 1)
    for rows, chances in (
        (np.isnan(values), model.UNJUDGED_CHANCES),
        ((values > 0) & (highest <= 1), model.RELEVANT_CHANCES),
    ):
        levels[rows] = draw.choice(len(chances), int(rows.sum()), p=chances)
    return np.interp(levels, range(4), model.LEVELS) + draw.normal(0, traits.spread, len(values))


def scores_of(
    draw: np.random.Generator,
    workers: People,
    gains: Floats,
    traits: CrowdTraits,
    levels: int = 0,
) -> Floats:
    """The scores of completed units of one topic, the two anchors in the first two columns.

    Whoever has not put H_k (column 0) above N_k (column 1) scores the unit anew. workers: one for
    each unit; nobody judges two units of a topic. gains: true log gains; levels: of the study's
    scale; 0 where scores are magnitudes. Both gains and the result are (units, unit size).
    """
    return scores_and_tries(draw, workers, gains, traits, levels)[0]


def scores_and_tries(
    draw: np.random.Generator,
    workers: People,
    gains: Floats,
    traits: CrowdTraits,
    levels: int = 0,
) -> tuple[Floats, Ints]:
    """As `scores_of`, and the tries of each unit, (units,); 0: MAX_TRIES failed."""
    scores, tries = np.empty(gains.shape), np.zeros(len(gains), dtype=np.int64)
    wrong = np.arange(len(gains))
    modulus = workers.modulus + draw.normal(0, model.TOPIC_MODULUS)
    modulus = modulus + draw.normal(0, model.UNIT_MODULUS, len(gains))
    settled = workers._replace(modulus=modulus)
    for number in range(1, MAX_TRIES + 1):
        scores_once = _levels if levels else _magnitudes
        scores[wrong] = scores_once(draw, settled.take(wrong), gains[wrong], traits, levels)
        passes = scores[wrong, 0] > scores[wrong, 1]  # check (c)
        tries[wrong[passes]] = number
        wrong = wrong[~passes]
        if not wrong.size:
            break
    return scores, tries


def _felt(
    draw: np.random.Generator, workers: People, seen: Floats, gains: Floats, traits: CrowdTraits
) -> Floats:
    """What workers feel about documents; seen: gains as they see them."""
    noise = draw.normal(size=gains.shape)
    usual = np.maximum(model.MIN_NOISE, model.NOISE - model.NOISE_DECREASE * gains) * traits.noise
    usual[:, :2] *= model.ANCHORS_NOISE
    return np.where(workers.is_careless[:, np.newaxis], noise, seen + usual * noise)


def _magnitudes(
    draw: np.random.Generator, workers: People, gains: Floats, traits: CrowdTraits, levels: int
) -> Floats:
    felt = _felt(draw, workers, workers.slope[:, np.newaxis] * gains, gains, traits)
    felt = np.where(workers.has_ceiling[:, np.newaxis], np.minimum(felt, model.CEILING), felt)
    values = np.exp(workers.modulus[:, np.newaxis] + felt)
    scores = np.choose(workers.habit[:, np.newaxis], [series(values), *_figures(values)])
    tiny = workers.writes_tiny[:, np.newaxis] & (gains < model.TINY_BELOW)
    powers = draw.integers(*model.TINY_POWERS, size=int(tiny.sum()))
    scores[tiny] = 10.0**-powers
    return np.clip(scores, float(MIN_SCORE), float(MAX_SCORE))


def _levels(
    draw: np.random.Generator, workers: People, gains: Floats, traits: CrowdTraits, levels: int
) -> Floats:
    return as_levels(_felt(draw, workers, gains, gains, traits), levels)


def as_levels(felt: Floats, levels: int) -> Floats:
    """The levels, from 0, of log gains on a scale of so many levels.

    >>> as_levels(np.array([0.0, 0.5, 2.0]), 4)
    array([0., 1., 3.])
    """
    return np.searchsorted(model.cuts(levels), felt, side="right").astype(np.float64)


def series(values: Floats) -> Floats:
    """The nearest of 1, 2 and 5 times a power of ten, by ratio.

    >>> series(np.array([1.3, 1.5, 30.0, 80.0]))
    array([  1.,   2.,  20., 100.])
    """
    power = 10.0 ** np.floor(np.log10(values))
    digits = np.array([1.0, 2.0, 5.0, 10.0])
    middles = np.sqrt(digits[1:] * digits[:-1])
    return digits[np.searchsorted(middles, values / power)] * power


def _figures(values: Floats) -> tuple[Floats, Floats]:
    power = 10.0 ** np.floor(np.log10(values))
    return np.rint(values / power) * power, np.rint(10 * values / power) * power / 10


@lru_cache
def unit_seconds(unit_size: int) -> tuple[float, float]:
    """Mean and median seconds of a unit of usual length, from agreeing to Finish."""
    draw = model.draws("unit seconds")
    paces = draw.normal(0, model.WORKER_PACE, (SAMPLE, 1))
    paces = paces + draw.normal(0, model.DOCUMENT_PACE, (SAMPLE, unit_size))
    usual = np.exp(paces - (model.WORKER_PACE**2 + model.DOCUMENT_PACE**2) / 2)
    reading = model.MIN_SECONDS + (model.READING_SECONDS + model.LENGTH_SECONDS) * usual
    before = draw.uniform(*PREPARATION_SECONDS, (SAMPLE, PAGES_BEFORE))
    whole: Any = reading.sum(axis=1) + before.sum(axis=1)
    return float(whole.mean()), float(np.median(whole))
