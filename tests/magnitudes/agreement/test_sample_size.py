import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.workers import workers_needed
from magnitudes.scaling import ScalingError


@given(st.integers(1, 500), st.integers(1, 500))
def test_it_is_the_formula_in_exact_numbers(sigma, error):
    exact = (Fraction("1.96") * Fraction(sigma, 100) / Fraction(error, 100)) ** 2
    assert workers_needed(sigma / 100, error / 100) == math.ceil(exact)


def test_a_whole_number_is_not_raised():
    assert workers_needed(0.3, 0.1, z=1.0) == 9


def test_a_mean_needs_one_score_and_an_unknown_spread_gives_no_number():
    assert workers_needed(0, 1) == 1
    assert np.isnan(workers_needed([np.nan, 1], 1)).tolist() == [True, False]


@pytest.mark.parametrize(
    ("sigma", "error", "z"),
    [(-1, 1, 2), (np.inf, 1, 2), (1, 0, 2), (1, np.nan, 2), (1, 1, 0), (1, 1, np.nan)],
)
def test_what_cannot_be_answered_is_refused(sigma, error, z):
    with pytest.raises(ScalingError):
        workers_needed(sigma, error, z)
