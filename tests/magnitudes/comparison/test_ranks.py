import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import rankdata

from magnitudes.comparison.ranks import competition_ranks


def test_ties_share_the_smallest_rank():
    assert competition_ranks([0.9, 0.5, 0.5, 0.1]).tolist() == [1, 2, 2, 4]
    assert competition_ranks([1, 1, 1]).tolist() == [1, 1, 1]
    assert competition_ranks([]).tolist() == []


def test_sums_of_the_same_numbers_in_another_order_tie():
    one, other = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert one != other
    assert competition_ranks([one, other]).tolist() == [1, 1]


def test_a_difference_in_the_twelfth_digit_counts():
    assert competition_ranks([0.5, 0.5 + 1e-12]).tolist() == [2, 1]
    assert competition_ranks([0.5, 0.5 + 4e-13]).tolist() == [1, 1]


def test_nan_comes_last_even_behind_minus_infinity():
    values = [math.nan, -math.inf, 0, math.inf, math.nan]
    assert competition_ranks(values).tolist() == [4, 3, 2, 1, 4]


def test_zeros_of_either_sign_tie():
    assert competition_ranks([0.0, -0.0, -1e-17]).tolist() == [1, 1, 1]


@given(arrays(np.float64, array_shapes(max_dims=3, max_side=6), elements=st.integers(0, 4)))
def test_ranks_are_scipys_along_the_last_axis(values):
    expected = rankdata(-values, method="min", axis=-1)
    assert (competition_ranks(values) == expected).all()


@given(st.lists(st.floats(0, 1), max_size=20), st.randoms())
def test_the_order_of_systems_makes_no_difference(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    ranks = competition_ranks(values)
    assert (competition_ranks([values[i] for i in order]) == ranks[order]).all()
