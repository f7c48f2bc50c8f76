"""Gains as whole numbers: times a factor, and as levels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.gains.whole_numbers import LARGEST, in_levels, multiply, trec_eval_gains

gains = st.lists(st.floats(1e-3, 1e3) | st.sampled_from([0.0, 1.0, 2.0]), max_size=60)


@given(gains)
def test_times_a_factor_no_gain_moves_by_more_than_half_of_its_inverse(values):
    made = multiply(values, 1000)
    assert np.abs(made.numbers / 1000 - values).max(initial=0) <= 0.5 / 1000 + 1e-12
    assert made.numbers.dtype == np.int64


@pytest.mark.parametrize(
    ("values", "factor", "why"),
    [
        ([1.0], 0, "the factor 0 is not a number above 0"),
        ([1.0], -2, "the factor -2 is not"),
        ([1.0], float("nan"), "the factor nan is not"),
        ([1.0], float("inf"), "the factor inf is not"),
        (
            [2.5e4],
            100,
            "is 2,500,000, and readers of whole numbers take 1,000,000 at most",
        ),
        ([0.004, 3, 0.2, 0], 100, "1 of 3 gains above 0: the factor must be above 125"),
    ],
)
def test_what_would_not_be_read_or_would_vanish_is_refused(values, factor, why):
    with pytest.raises(GainError, match=why):
        multiply(values, factor)


def test_the_largest_number_is_allowed_and_nothing_lost_is_said():
    assert multiply([LARGEST / 100], 100).numbers.tolist() == [LARGEST]
    assert multiply([0.25, 1], 4).remark.endswith("nothing is lost")
    assert multiply([], 4).numbers.size == 0


@given(gains, st.integers(2, 127))
def test_levels_keep_the_order_and_equal_gains_together(values, n_levels):
    made = in_levels(values, n_levels)
    levels = made.numbers
    order = np.argsort(values, kind="stable")
    assert (np.diff(levels[order]) >= 0).all()
    for value in set(values):
        assert len(set(levels[np.array(values) == value])) == 1
    assert [level > 0 for level in levels] == [value > 0 for value in values]
    used = sorted(set(levels.tolist()) - {0})
    assert used == list(made.gain_of_level) == list(range(1, len(used) + 1))
    assert len(used) <= n_levels
    for level, gain in made.gain_of_level.items():
        assert gain == np.median(np.array(values)[levels == level])


@pytest.mark.parametrize("n_levels", [2, 3, 7, 127])
def test_levels_of_different_gains_have_as_many_documents_each(n_levels):
    values = np.random.default_rng(1).lognormal(size=1000)
    counts = np.bincount(in_levels(values, n_levels).numbers)[1:]
    assert len(counts) == n_levels
    assert counts.max() - counts.min() <= 1


def test_few_different_gains_lose_nothing():
    made = in_levels([0, 0.5, 0.5, 0.5, 0.5, 7], 3)
    assert made.numbers.tolist() == [0, 1, 1, 1, 1, 2]
    assert made.gain_of_level == {1: 0.5, 2: 7.0}
    assert "nothing is lost" in made.remark
    made = in_levels([1, 2, 3, 30], 2)
    assert made.remark.endswith(
        "a gain is up to 5.5 times as large or as small as the one that its level stands for"
    )
    assert in_levels([0.0], 2).gain_of_level == {}


@pytest.mark.parametrize("n_levels", [-1, 0, 1, 128])
def test_other_numbers_of_levels_are_refused(n_levels):
    with pytest.raises(GainError, match="expected a whole number from 2 to 127"):
        in_levels([1.0], n_levels)


@given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=127, unique=True))
def test_gains_for_trec_eval_are_whole_and_in_proportion(values):
    levels = dict(enumerate(sorted(values), 1))
    told = [pair.split("=") for pair in trec_eval_gains(levels).split(",")]
    assert [int(level) for level, _ in told] == list(levels)
    numbers = np.array([int(gain) for _, gain in told])
    assert numbers.max() <= 2**24
    assert numbers / numbers.max() == pytest.approx(
        np.array(list(levels.values())) / max(values), abs=1e-6
    )


def test_no_level_has_no_gain():
    assert trec_eval_gains({}) == ""
