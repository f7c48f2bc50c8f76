"""Topics judged by people and models, and how often intervals hold their true means."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.comparison.prediction_powered import estimates

Floats = NDArray[np.float64]
DEPTH = 10
DISCOUNTS = 1 / np.log2(np.arange(2, DEPTH + 2))
USELESS = "random", "constant"
TOPICS, DRAWS = 10_000, 4000
BY_PEOPLE, BY_MODEL = (15, 25, 50), (35, 100)
MIN_COVERED, MAX_WIDTH = 0.94, 1.03
LEAST_GIVEN = 0.05  # of draws; fewer say little of coverage


@dataclass(frozen=True)
class Population:
    """What topics are drawn from.

    relevant: the least and the largest share of a pool. quality: how far the worst and the best
    system follow worth. steep: how soon ERR is near its ceiling. alike: the share of topics on
    which a system has the lists of the one before it. noise: of a good model, and of a weak one.
    """

    systems: int = 8
    pool: int = 40
    relevant: tuple[float, float] = (0.05, 0.55)
    quality: tuple[float, float] = (0.3, 1.5)
    steep: float = 1.0
    alike: float = 0.0
    noise: tuple[float, float] = (0.4, 1.2)

    def drawn(self, topics: int, seed: int) -> dict[str, dict[str, Floats]]:
        """{measure: {who judged: values (topics, systems)}}, people among who judged.

        A model is good, weak, biased to three of the systems, wrong about how hard topics are,
        random, constant on all topics, or the same as people.
        """
        rng = np.random.default_rng(seed)
        shape = topics, self.pool
        hard = rng.normal(0, 0.6, (topics, 1))
        relevant = rng.random(shape) < rng.uniform(*self.relevant, (topics, 1))
        worth = np.where(relevant, rng.gamma(2, 0.5, shape) + 0.3, rng.normal(0, 0.15, shape))
        lists = self._lists(rng, worth, np.exp(hard))
        favoured = np.zeros(shape)
        for system in (0, 1, self.systems - 1):
            np.put_along_axis(favoured, lists[:, system], 0.8, 1)
        good, weak = self.noise
        judged = {
            "people": worth + rng.normal(0, 0.25, shape),
            "good": worth + rng.normal(0, good, shape),
            "weak": worth + rng.normal(0, weak, shape),
            "biased": worth + favoured + rng.normal(0, 0.5, shape),
            "by difficulty": worth * np.exp(hard) + 0.5 * hard + rng.normal(0, 0.4, shape),
            "random": rng.gamma(1, 0.5, shape),
        }
        found: dict[str, dict[str, Floats]] = {"nDCG": {}, "ERR": {}}
        for who, gains in judged.items():
            gains = np.maximum(gains, 0)
            found["nDCG"][who] = _ndcg(gains, lists)
            found["ERR"][who] = _err(1 - np.exp(-self.steep * gains), lists)
        for values in found.values():
            values["constant"] = np.full_like(values["people"], 0.5)
            values["the same"] = values["people"]
        return found

    def _lists(self, rng: np.random.Generator, worth: Floats, easy: Floats) -> NDArray[np.int64]:
        """(topics, systems, DEPTH)."""
        quality = np.linspace(*self.quality, self.systems)[:, np.newaxis]
        scores = (easy * worth)[:, np.newaxis] * quality
        scores += rng.normal(0, 0.8, scores.shape) + rng.normal(0, 0.5, worth.shape)[:, np.newaxis]
        same = rng.random(scores.shape[:2]) < self.alike
        for system in range(1, self.systems):
            rows = same[:, system]
            scores[rows, system] = scores[rows, system - 1]
        return np.argsort(-scores, axis=2)[:, :, :DEPTH]


def _ndcg(gains: Floats, lists: NDArray[np.int64]) -> Floats:
    ideal = (-np.sort(-gains, axis=1)[:, :DEPTH] * DISCOUNTS).sum(axis=1)
    found = np.take_along_axis(gains[:, np.newaxis], lists, 2) * DISCOUNTS
    return np.asarray(found.sum(axis=2) / np.maximum(ideal, 1e-9)[:, np.newaxis])


def _err(stops: Floats, lists: NDArray[np.int64]) -> Floats:
    stop = np.take_along_axis(stops[:, np.newaxis], lists, 2)
    stop[:, :, 1:] *= np.cumprod(1 - stop, axis=2)[:, :, :-1]
    return np.asarray((stop / np.arange(1, DEPTH + 1)).sum(axis=2))


POPULATIONS = {
    "usual": Population(),
    "many systems": Population(systems=20, pool=80, noise=(0.2, 2.0)),
    "few systems, small pool": Population(systems=4, pool=15, relevant=(0.2, 0.6)),
    "hard topics": Population(relevant=(0.01, 0.15), quality=(0.1, 0.8)),
    "easy topics": Population(relevant=(0.3, 0.7), quality=(0.5, 1.5)),
    "steep ERR": Population(steep=2.0),
    "many systems, steep ERR": Population(systems=20, pool=80, steep=2.0),
    "flat ERR": Population(steep=0.3, relevant=(0.05, 0.3)),
    "a third of lists alike": Population(alike=0.33),
    "half of lists alike": Population(alike=0.5),
    "most lists alike": Population(alike=0.75),
}


class Row(NamedTuple):
    measure: str
    n: int
    others: int
    who: str


class Cell(NamedTuple):
    """Of one population, quantity, model and number of topics; shares of intervals given."""

    given: float
    alone: float
    covered: float
    width: float  # of people's alone
    worth: float  # topics


def quantities(values: Floats, single: bool) -> Iterator[Floats]:
    """Single systems, or differences: of the best and others, and of the two worst."""
    last = values.shape[1] - 1
    if single:
        yield from (values[:, at] for at in (0, last // 2, last))
    else:
        pairs = (last, 0), (last, last // 2), (last, last - 1), (1, 0)
        yield from (values[:, one] - values[:, other] for one, other in pairs)


def cell(people: Floats, model: Floats, n: int, others: int, draws: int) -> Cell:
    """people, model: (topics,), of the whole population."""
    at = np.random.default_rng([n, others]).integers(0, len(people), (draws, n + others))
    people = np.round(people, 12)
    y, f, more = people[at[:, :n]], model[at[:, :n]], model[at[:, n:]]
    found, true = estimates(y, f, more), people.mean()
    given = ~np.isnan(found.low)
    if given.mean() < LEAST_GIVEN:
        return Cell(0, np.nan, np.nan, np.nan, np.nan)
    ends = (found.low[given], found.high[given]), (found.alone_low[given], found.alone_high[given])
    width, by_people = ((high - low).mean() for low, high in ends)
    covered, alone = (((low <= true) & (true <= high)).mean() for low, high in ends)
    return Cell(given.mean(), alone, covered, width / by_people, found.worth[given].mean())


def rows(single: bool, draws: int = DRAWS) -> dict[Row, list[Cell]]:
    """Cells of all populations and quantities, by measure, topics, others and model."""
    found = defaultdict(list)
    for seed, population in enumerate(POPULATIONS.values()):
        for measure, judged in population.drawn(TOPICS, seed + 100).items():
            people = judged.pop("people")
            for n, others, (who, model) in product(BY_PEOPLE, BY_MODEL, judged.items()):
                for y, f in zip(quantities(people, single), quantities(model, single), strict=True):
                    one = cell(y, f, n, others, draws)
                    if one.given:
                        found[Row(measure, n, others, who)].append(one)
    return found


def failures(found: dict[Row, list[Cell]]) -> list[Row]:
    """Rows that miss a limit."""
    return [
        row
        for row, cells in found.items()
        if min(one.covered for one in cells) < MIN_COVERED
        or (row.who in USELESS and max(one.width for one in cells) > MAX_WIDTH)
    ]
