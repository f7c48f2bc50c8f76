import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from magnitudes.comparison.interval import t_interval


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60))
def test_the_interval_is_scipys(values):
    mean, low, high = t_interval(values)
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    if error < 1e-12:
        assert (low, high) == pytest.approx((mean, mean))
        return
    expected = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=error)
    assert (low, high) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_printed_quantile():
    """Tables of Student's distribution give 2.262 for nine degrees of freedom."""
    values = np.arange(10.0)
    mean, low, high = t_interval(values)
    error = values.std(ddof=1) / math.sqrt(10)
    assert mean == 4.5
    assert (high - mean) / error == pytest.approx(2.262, abs=5e-4)
    assert mean - low == pytest.approx(high - mean)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_any_axis_is_that_of_topics(axis):
    values = np.random.default_rng(2).random((5, 7))
    whole = t_interval(values, axis)
    each = [t_interval(row) for row in np.moveaxis(values, axis, -1)]
    for n, part in enumerate(whole):
        np.testing.assert_allclose(part, [one[n] for one in each], rtol=1e-14)


def test_one_topic_has_a_mean_and_no_interval():
    mean, low, high = t_interval([[0.3], [0.5]])
    assert mean.tolist() == [0.3, 0.5]
    assert low.shape == (2,)
    assert np.isnan([low, high]).all()


def test_no_topic_has_neither():
    assert np.isnan(t_interval(np.empty((3, 0)))).all()
    assert t_interval(np.empty((3, 0))).mean.shape == (3,)


def test_nan_is_not_left_out():
    assert np.isnan(t_interval([0.1, math.nan, 0.3])).all()


def test_no_spread_no_width():
    assert tuple(t_interval([0.25] * 8)) == (0.25, 0.25, 0.25)
