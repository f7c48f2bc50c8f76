from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.gains.levels import exponential, linear, scaled_exponential
from magnitudes.gains.magnitude import magnitude


def test_a_magnitude_is_its_own_gain_and_never_judged_stays_nan():
    scores = np.array([[3.5, np.nan], [1e-9, 1e9]])
    gains = magnitude(scores)
    np.testing.assert_array_equal(gains, scores)
    gains[:] = 1
    assert scores[0, 0] == 3.5


@pytest.mark.parametrize("score", [0, -1, float("inf"), float("-inf")])
def test_what_no_magnitude_can_be(score):
    with pytest.raises(GainError, match="is not a positive finite number"):
        magnitude([1, score])


@pytest.mark.parametrize("mapping", [linear, exponential])
def test_negative_labels_are_worth_nothing_and_counted(mapping):
    values, negative = mapping([[-2, 0], [-0.5, 1]])
    assert values.tolist() == [[0, 0], [0, 1]]
    assert negative == 2


@pytest.mark.parametrize("mapping", [linear, exponential])
@pytest.mark.parametrize("label", [float("nan"), float("inf"), float("-inf")])
def test_labels_that_are_no_numbers(mapping, label):
    with pytest.raises(GainError, match="is not a finite number"):
        mapping([1, label])


def test_levels_exactly():
    assert linear([0, 0.25, 1, 2, 3]).values.tolist() == [0, 0.25, 1, 2, 3]
    assert exponential(range(60)).values.tolist() == [float(2**level - 1) for level in range(60)]


def test_small_levels_lose_no_digits():
    tiny = 1e-12
    assert exponential([tiny]).values[0] == pytest.approx(tiny * np.log(2), rel=1e-11)


def test_levels_too_high_for_doubles():
    assert np.isfinite(exponential([1023]).values).all()
    with pytest.raises(GainError, match=r"label 1024\.0"):
        exponential([1024])


@given(st.lists(st.integers(0, 6000), min_size=1, max_size=8))
def test_scaled_exponentials_of_whole_gains_are_exact_fractions(gains):
    top = max(gains)
    exact = [float(Fraction(2**g - 1, 2**top)) for g in gains]
    np.testing.assert_allclose(scaled_exponential(gains, top), exact, rtol=1e-13, atol=1e-300)


@given(st.floats(0, 2000), st.floats(0, 2000))
def test_scaled_exponentials_grow_with_the_gain(one, other):
    low, high = sorted([one, other])
    assert scaled_exponential(low, 2000) <= scaled_exponential(high, 2000)


def test_scaled_exponentials_broadcast():
    values = scaled_exponential(np.ones((3, 2, 4)), np.array([[1.0], [2.0]]))
    assert values.shape == (3, 2, 4)
    assert (values[:, 0] == 0.5).all()
    assert (values[:, 1] == 0.25).all()
