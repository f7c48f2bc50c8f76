import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from magnitudes.scaling import ScalingError
from magnitudes.spread.spread import boxes


def plain(values):
    """One box, step by step."""
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75])
    reach = 1.5 * (upper - lower) + 1e-12 * max(abs(lower), abs(upper))
    fences = lower - reach, upper + reach
    inside = [value for value in values if fences[0] <= value <= fences[1]]
    low, high = min([*inside, lower]), max([*inside, upper])
    return (low, lower, median, upper, high, np.mean(values)), len(values) - len(inside)


@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
@example(9, 34)  # a value on a fence
def test_each_group_has_its_box(seed, n):
    rng = np.random.default_rng(seed)
    values, groups = rng.lognormal(0, 2, n).round(1), rng.integers(0, 4, n)
    found = boxes(values, groups, 5)
    for group in range(5):
        mine = values[groups == group]
        assert found.counts[group] == len(mine)
        if not len(mine):
            assert np.isnan([column[group] for column in found[1:7]]).all()
            assert found.outliers[group] == 0
            continue
        numbers, outliers = plain(mine.tolist())
        assert [column[group] for column in found[1:7]] == pytest.approx(numbers, rel=1e-12)
        assert found.outliers[group] == outliers
        drawn = found.drawn[found.drawn_groups == group]
        beyond = mine[(mine < found.low[group]) | (mine > found.high[group])]
        assert sorted(drawn) == sorted(beyond)


@pytest.mark.parametrize("most", [2, 3, 10, 200])
def test_outliers_are_thinned_evenly_and_keep_their_ends(most):
    values = np.concatenate([np.zeros(5000), np.arange(1, 301), [-1, -5]])
    found = boxes(values, np.zeros(len(values), dtype=int), 1, most)
    assert found.outliers.tolist() == [302]
    assert len(found.drawn) == most
    assert (found.drawn[0], found.drawn[-1]) == (-5, 300)
    gaps = np.diff(np.searchsorted(np.sort(values[values != 0]), found.drawn))
    assert gaps.max() - gaps.min() <= 1


def test_values_all_equal():
    found = boxes([2.0] * 7, [0] * 7, 1)
    assert [float(column[0]) for column in found[:8]] == [7, 2, 2, 2, 2, 2, 2, 0]


def test_one_value_and_none():
    assert boxes([3.0], [1], 2).median.tolist()[1] == 3
    empty = boxes([], [], 2)
    assert empty.counts.tolist() == [0, 0]
    assert np.isnan(empty.median).all()
    assert empty.drawn.size == 0


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_values_that_are_no_numbers(value):
    with pytest.raises(ScalingError, match="not a finite number"):
        boxes([1.0, value], [0, 0], 1)


def test_a_group_out_of_range():
    with pytest.raises(ScalingError, match="groups must lie from 0 to 1"):
        boxes([1.0], [2], 2)
