"""Many artificial workers at once do as one by one."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crowd import model, vectorised
from crowd.model import HABITS, Pair, Person, person
from crowd.vectorised import CrowdTraits

GAINS = (1.61, 0.0, 0.0, 0.69, 1.61, 2.5)  # H_k, N_k, others
MANY = 6000
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
PAIRS = [Pair("t", f"D{n}", gain, n < 2, 1.0) for n, gain in enumerate(GAINS)]


def within_units(scores: np.ndarray) -> np.ndarray:
    logs = np.log(scores)
    return np.quantile(logs - logs.mean(axis=1, keepdims=True), QUANTILES, axis=0)


def one_by_one(worker: Person) -> list[float]:
    """The scores of the first attempt that puts the anchors in order."""
    attempts = ([float(worker.score(pair, n)) for pair in PAIRS] for n in range(99))
    return next(scores for scores in attempts if scores[0] > scores[1])


def test_scores_are_distributed_as_those_of_one_by_one() -> None:
    draw = model.draws(1)
    workers = vectorised.people(draw, MANY, CrowdTraits())
    scores = vectorised.scores_of(draw, workers, np.tile(GAINS, (MANY, 1)), CrowdTraits())
    singly = np.array([one_by_one(person(1, n, 1)) for n in range(MANY // 6)])
    assert within_units(scores) == pytest.approx(within_units(singly), abs=0.17)
    assert np.log(scores).std() == pytest.approx(np.log(singly).std(), abs=0.15)
    assert (scores[:, 0] > scores[:, 1]).all()


def test_levels_are_distributed_as_those_of_one_by_one() -> None:
    draw, levels = model.draws(2), 4
    workers = vectorised.people(draw, MANY, CrowdTraits(careless=0))
    scores = vectorised.scores_of(draw, workers, np.tile(GAINS, (MANY, 1)), CrowdTraits(), levels)
    careful = [worker for n in range(900) if not (worker := person(2, n, 1)).is_careless]
    for column, pair in enumerate(PAIRS[2:], 2):
        singly = np.mean([int(worker.level(pair, 0, levels)) for worker in careful])
        assert scores[:, column].mean() == pytest.approx(singly, abs=0.1)
    assert set(np.unique(scores)) <= {0.0, 1.0, 2.0, 3.0}


@settings(max_examples=60)
@given(st.floats(1e-7, 1e9))
@example(0.65)
def test_habits_round_as_those_of_the_model(value: float) -> None:
    values = np.array([value])
    rounded = (vectorised.series(values), *vectorised._figures(values))
    for (name, habit), here in zip(HABITS.items(), rounded, strict=True):
        there = habit(value)
        # On a middle between two round numbers either may be taken.
        assert here[0] == pytest.approx(there) or _is_between(value, there, here[0]), name


def _is_between(value: float, low: float, high: float) -> bool:
    """Whether a value is as far from both, in their ratio or their difference."""
    ratios, steps = np.abs(np.log([low / value, high / value])), np.abs([low - value, high - value])
    return any(pair[0] == pytest.approx(pair[1], rel=1e-9) for pair in (ratios, steps))


@pytest.mark.parametrize(("label", "highest"), [(0, 3), (2, 3), (3, 3), (1, 1), (np.nan, 3)])
def test_true_gains_are_distributed_as_those_of_one_by_one(label: float, highest: float) -> None:
    gains = vectorised.log_gains(model.draws(3), np.full(MANY, label), highest, CrowdTraits())
    known = None if np.isnan(label) else label
    singly = [model.log_gain(3, "t", f"D{n}", known, highest) for n in range(1500)]
    assert gains.mean() == pytest.approx(np.mean(singly), abs=0.08)
    assert gains.std() == pytest.approx(np.std(singly), abs=0.06)


def test_a_nature_makes_a_crowd() -> None:
    traits = CrowdTraits(slope=0.1, careless=0.4)
    workers = vectorised.people(model.draws(4), MANY, traits)
    assert workers.is_careless.mean() == pytest.approx(0.4, abs=0.03)
    assert np.log(workers.slope).std() == pytest.approx(0.1, abs=0.01)
    traits = CrowdTraits(spread=0.2)
    assert vectorised.log_gains(model.draws(4), np.zeros(MANY), 3, traits).std() < 0.21


def test_a_unit_takes_as_long_as_that_of_one_by_one() -> None:
    mean, median = vectorised.unit_seconds(8)
    assert mean == pytest.approx(8 * 78 + 6 * 12.5, rel=0.03)  # on a document 78, on a page 12.5
    assert 500 < median < mean
