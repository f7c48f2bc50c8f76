"""The score that an artificial worker gives to a document, and the seconds it takes.

The model is fitted to published figures of 7,059 units (Maddalena, Mizzaro, Scholer and Turpin, ACM
TOIS 35(3), 2017). Every draw has a key: what a worker gives to a document does not depend on who
else is at work, or when.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b

import numpy as np

# True log gain at the levels not, marginally, relevant and highly relevant.
LEVELS = (0.0, 0.69, 1.10, 1.61)
# On a scale of four levels: from which log gain on a document belongs to the second, third, fourth.
CUTS = (0.35, 0.90, 1.35)
SPREAD = 0.7  # of a pair's true log gain about that of its level
RELEVANT_CHANCES = (0.0, 0.50, 0.34, 0.16)  # of a level, where a label only says relevant
UNJUDGED_CHANCES = (0.97, 0.03, 0.0, 0.0)

MODULUS = (1.0, 1.25)  # mean and spread of the log of a worker's number for no relevance
TOPIC_MODULUS, UNIT_MODULUS = 0.15, 0.5  # what a topic and a moment add to it
SLOPES = 0.35  # spread of the log of how much more workers see what is relevant
NOISE = 0.6  # about log gain 0
NOISE_DECREASE, MIN_NOISE = 0.2, 0.3  # for each 1 above 0, and at least
ANCHORS_NOISE = 0.7  # times that of other documents
CEILING = 2.0  # of log scores above the modulus, for those who have one
CEILING_CHANCE, CARELESS, TINY_CHANCE = 0.9, 0.1, 0.015
TINY_BELOW = 0.3  # log gain: who writes tiny numbers writes them for these
TINY_POWERS = (2, 6)  # of a tenth, the last one left out

MIN_SECONDS = 20.0  # that reading a document takes
READING_SECONDS = 30.0  # more, but for its length
LENGTH_SECONDS = 28.0  # and these for one of mean length
WORKER_PACE, DOCUMENT_PACE = 0.6, 0.83


def draws(*key: object) -> np.random.Generator:
    """Random numbers that depend on `key` alone."""
    digest = blake2b(repr(key).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest)))


def anchor_gain(label: float, highest: float) -> float:
    """The log gain of an anchor that is a clear case of its label; `highest` as in `log_gain`."""
    return float(np.interp(3 * max(label, 0) / max(highest, 1), range(4), LEVELS))


def log_gain(seed: int, query_id: str, doc_id: str, label: float | None, highest: float) -> float:
    """The true log gain of a pair that is no anchor.

    label: its reference label, None if unjudged; highest: the top level of the label's scale. On a
    scale of two levels a 1 may be any of the model's three relevant levels.
    """
    draw = draws(seed, "pair", query_id, doc_id)
    if label is None:
        level = float(draw.choice(4, p=UNJUDGED_CHANCES))
    elif highest <= 1 and label > 0:
        level = float(draw.choice(4, p=RELEVANT_CHANCES))
    else:
        level = 3 * max(label, 0) / max(highest, 1)
    return float(np.interp(level, range(4), LEVELS)) + draw.normal(0, SPREAD)


def cuts(levels: int) -> Sequence[float]:
    """Where a scale of so many levels divides log gains.

    Four levels have the cuts of the model; other scales spread theirs evenly over the same range.
    The higher of two levels is whatever is relevant at all.

    >>> cuts(4), cuts(2)
    ((0.35, 0.9, 1.35), [0.35])
    """
    if levels == len(CUTS) + 1:
        return CUTS
    even: list[float] = np.linspace(CUTS[0], CUTS[-1], levels - 1).tolist()
    return even


def _series(value: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, by ratio."""
    power = math.floor(math.log10(value))
    candidates = [float(f"{digit}e{power + more}") for more in (0, 1) for digit in (1, 2, 5)]
    return min(candidates, key=lambda candidate: abs(math.log(candidate / value)))


def _figures(count: int) -> Callable[[float], float]:
    return lambda value: float(f"{value:.{count - 1}e}")


HABITS: Mapping[str, Callable[[float], float]] = {
    "series": _series,
    "one figure": _figures(1),
    "two figures": _figures(2),
}
HABIT_CHANCES = (0.42, 0.43, 0.15)


@dataclass(frozen=True)
class Pair:
    query_id: str
    doc_id: str
    log_gain: float
    is_anchor: bool
    length: float  # in words, over the mean of the study's documents
    words: tuple[str, ...] = ()  # of its text, such as somebody may name


@dataclass(frozen=True)
class Person:
    """One artificial worker.

    modulus: the log of their number for a document without relevance; slope: a factor on the
    relevance that they see; pace: the log of their time relative to others'; units: how many they
    come for.
    """

    seed: int
    number: int
    modulus: float
    slope: float
    pace: float
    habit: str
    has_ceiling: bool
    is_careless: bool
    writes_tiny: bool
    units: int

    @property
    def pseudonym(self) -> str:
        return blake2b(f"{self.seed} {self.number}".encode(), digest_size=8).hexdigest()

    def score(self, pair: Pair, attempt: int) -> str:
        draw = draws(self.seed, self.number, pair.query_id, pair.doc_id, attempt)
        return written(self._felt(pair, draw))

    def level(self, pair: Pair, attempt: int, levels: int) -> str:
        """As a number from 0, by the same draws as `score`."""
        noise = draws(self.seed, self.number, pair.query_id, pair.doc_id, attempt).normal()
        felt = noise if self.is_careless else pair.log_gain + _spread(pair) * noise
        return str(sum(cut <= felt for cut in cuts(levels)))

    def log_gain_of(self, pair: Pair, score: float) -> float:
        """The log gain that a score stands for, beside the other scores of the same unit."""
        return (math.log(score) - self.modulus - self._in_unit(pair.query_id)) / self.slope

    def _felt(self, pair: Pair, draw: np.random.Generator) -> float:
        noise = draw.normal()
        if self.writes_tiny and pair.log_gain < TINY_BELOW:
            return float(f"1e-{draw.integers(*TINY_POWERS)}")
        modulus = self.modulus + self._in_unit(pair.query_id)
        felt = noise if self.is_careless else self.slope * pair.log_gain + _spread(pair) * noise
        if self.has_ceiling:
            felt = min(felt, CEILING)
        return HABITS[self.habit](math.exp(modulus + felt))

    def _in_unit(self, query_id: str) -> float:
        """What the topic and the moment add to their modulus."""
        topic = draws(self.seed, "topic", query_id).normal(0, TOPIC_MODULUS)
        return float(topic + draws(self.seed, self.number, query_id).normal(0, UNIT_MODULUS))

    def seconds(self, pair: Pair) -> float:
        draw = draws(self.seed, self.number, pair.query_id, pair.doc_id, "seconds")
        pace = self.pace + draw.normal(0, DOCUMENT_PACE)
        usual = math.exp(pace - (WORKER_PACE**2 + DOCUMENT_PACE**2) / 2)
        return MIN_SECONDS + (READING_SECONDS + LENGTH_SECONDS * pair.length) * usual


def person(seed: int, number: int, max_units: int) -> Person:
    draw = draws(seed, "worker", number)
    return Person(
        seed=seed,
        number=number,
        modulus=draw.normal(*MODULUS),
        slope=draw.lognormal(0, SLOPES),
        pace=draw.normal(0, WORKER_PACE),
        habit=str(draw.choice(list(HABITS), p=HABIT_CHANCES)),
        has_ceiling=bool(draw.random() < CEILING_CHANCE),
        is_careless=bool(draw.random() < CARELESS),
        writes_tiny=bool(draw.random() < TINY_CHANCE),
        units=1 + int(draw.choice(max_units, p=chances_of_units(max_units))),
    )


def _spread(pair: Pair) -> float:
    """The standard deviation of what workers feel; they agree most on the best, and on anchors."""
    at_gain = max(MIN_NOISE, NOISE - NOISE_DECREASE * pair.log_gain)
    return at_gain * (ANCHORS_NOISE if pair.is_anchor else 1.0)


@lru_cache
def chances_of_units(max_units: int) -> Sequence[float]:
    """The chances that a worker comes for 1, 2, ..., `max_units` units.

    >>> [round(chance, 3) for chance in chances_of_units(2)]
    [0.682, 0.318]
    """
    weights = np.arange(1, max_units + 1) ** -1.1
    return (weights / weights.sum()).tolist()


def written(value: float) -> str:
    """As people type it, without an exponent."""
    return f"{Decimal(repr(value)):f}".removesuffix(".0")
