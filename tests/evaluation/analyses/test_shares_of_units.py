"""Intervals of shares of units: as often right as they say, though workers differ."""

import numpy as np
import pytest

from evaluation.study.shares_of_units import LEAST_WORKERS, of_workers

STUDIES = 400


@pytest.mark.parametrize(("a", "b"), [(2.0, 2.0), (6.0, 2.0), (0.8, 0.8)])
def test_an_interval_contains_the_share_in_95_of_100_studies(a: float, b: float) -> None:
    """Workers of 1 to 12 units, each with a chance of their own."""
    rng, inside = np.random.default_rng(7), 0
    for _ in range(STUDIES):
        sizes = rng.integers(1, 13, 60)
        workers = np.repeat(np.arange(60), sizes)
        holds = rng.random(len(workers)) < np.repeat(rng.beta(a, b, 60), sizes)
        found = of_workers("x", holds, workers)
        inside += found["x_low"] <= a / (a + b) <= found["x_high"]
    assert 0.925 <= inside / STUDIES <= 0.98


def test_few_workers_and_equal_units_have_no_interval() -> None:
    workers = np.arange(LEAST_WORKERS - 1)
    assert of_workers("x", workers > 3, workers).keys() == {"x"}
    many = np.arange(100)
    assert of_workers("x", np.ones(100), many) == {"x": 1.0}
    assert of_workers("x", many > 1, many)["x_high"] == 1.0
