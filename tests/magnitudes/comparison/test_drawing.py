import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.drawing import Topic
from magnitudes.scaling import ScalingError

LISTS = np.array([[0, 1, -1], [2, 0, 1]])


def topic(scores, documents, size=3):
    return Topic(LISTS, np.array(scores, float), np.array(documents, int), size)


def test_one_score_of_each_document():
    gains = topic([5, 7, 3, 9], [0, 0, 1, 0]).draw(np.random.default_rng(1), 3000)
    assert gains.shape == (3, 3000)
    values, counts = np.unique(gains[0], return_counts=True)
    assert values.tolist() == [5, 7, 9]
    assert counts == pytest.approx([1000] * 3, abs=120)
    assert set(gains[1]) == {3}
    assert np.isnan(gains[2]).all()


@pytest.mark.parametrize("judges", [2, 3, 4, 5])
def test_every_choice_of_judges_is_as_likely(judges):
    """Powers of two: the median tells which were taken."""
    scores = 2.0 ** np.arange(6)
    gains = topic(scores, [1] * 6).draw(np.random.default_rng(judges), 40_000, judges)[1]
    expected = {}
    for chosen in combinations(scores, judges):
        median = float(np.median(chosen))
        expected[median] = expected.get(median, 0) + 1
    chances = np.array([expected[value] for value in sorted(expected)]) / sum(expected.values())
    values, counts = np.unique(gains, return_counts=True)
    assert values.tolist() == sorted(expected)
    assert counts / 40_000 == pytest.approx(chances, abs=0.012)


@given(st.integers(1, 8), st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_all_judges_are_the_aggregated_scores(each, seed, more):
    scores = np.random.default_rng(seed).lognormal(size=3 * each)
    one = topic(scores, np.tile([0, 1, 2], each))
    gains = one.draw(np.random.default_rng(seed), 2, judges=each + more - 1)
    assert (gains == one.aggregated[:, np.newaxis]).all()
    assert (one.aggregated == np.median(scores.reshape(each, 3), axis=0)).all()


def test_no_score_at_all():
    gains = topic([], []).draw(np.random.default_rng(1), 4, judges=2)
    assert gains.shape == (3, 4)
    assert np.isnan(gains).all()


def test_fewer_than_one_judge():
    with pytest.raises(ComparisonError, match="0 judges"):
        topic([1.0], [0]).draw(np.random.default_rng(1), 2, judges=0)


def test_arrays_that_do_not_fit():
    with pytest.raises(ComparisonError, match="from -1 to 1"):
        topic([1.0], [0], size=2)
    with pytest.raises(ComparisonError, match="must be"):
        Topic(np.array([0, 1]), np.array([1.0]), np.array([0]), 3)
    with pytest.raises(ScalingError):
        topic([1.0], [3])
    with pytest.raises(ScalingError):
        topic([math.nan], [0])
