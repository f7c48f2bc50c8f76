from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.scaling import ScalingError
from magnitudes.spread.ratio_rule import follows_ratios
from tests.acceptance.published import follows_ratios as plainly

like_people = st.sampled_from(
    ["1", "2", "3", "5", "7", "10", "15", "54", "76", "100", "0.5", "0.25", "0.01", "1.1", "33"]
)
anything = st.decimals("1e-12", "1e12", places=9).filter(lambda d: d > 0).map(str)
extreme = st.sampled_from(["1e-300", "2e-300", "1e300", "5e300", "3", "0.7"])


def exact_parts(scores):
    """Numerators and denominators of a table of fractions."""
    return [
        np.array([[getattr(score, part) for score in unit] for unit in scores], dtype=object)
        for part in ("numerator", "denominator")
    ]


@pytest.mark.parametrize("figures", [1, 2, 3])
@given(
    units=st.integers(1, 8).flatmap(
        lambda size: st.lists(
            st.lists(like_people | anything, min_size=size, max_size=size)
            | st.lists(extreme, min_size=size, max_size=size)
            | st.lists(like_people, min_size=size, max_size=size),
            max_size=6,
        )
    )
)
def test_it_is_the_plain_reading_of_the_rule(figures, units):
    if not units:
        return
    scores = [[Fraction(Decimal(score)) for score in unit] for unit in units]
    found = follows_ratios(*exact_parts(scores), figures)
    assert found.tolist() == [plainly(unit, figures) for unit in units]


@given(st.lists(st.lists(st.integers(1, 60), min_size=4, max_size=4), min_size=1, max_size=20))
def test_integer_arrays_and_fractions_not_in_lowest_terms(units):
    whole = np.array(units)
    expected = [plainly([str(score) for score in unit], 2) for unit in units]
    assert follows_ratios(whole, np.ones_like(whole), 2).tolist() == expected
    assert follows_ratios(6 * whole, 4 * np.ones_like(whole), 2).tolist() == expected


@pytest.mark.parametrize(
    ("unit", "one", "two"),
    [
        ("54 76", False, False),
        ("54 76 54", False, False),
        ("10 15", False, True),
        ("15 10", False, False),
        ("1/3 2/3 10/3", True, True),
        ("1 1/3", False, False),
        ("3 1 1/3", False, False),
        ("100 10 1 3 33 330", False, True),
        ("1 64", False, True),
        ("64 1", False, False),
        ("1 1/4 1/8", False, True),
        ("8 1", False, False),
    ],
)
def test_units_worked_out_by_hand(unit, one, two):
    parts = exact_parts([[Fraction(score) for score in unit.split()]])
    assert (follows_ratios(*parts, 1)[0], follows_ratios(*parts, 2)[0]) == (one, two)


def test_the_order_of_scores_counts():
    assert follows_ratios([[1, 3], [3, 1]], [[1, 1], [1, 1]], 2).tolist() == [True, False]


def test_numbers_next_to_a_round_ratio_are_not_taken_for_it():
    large = 2**31 - 1
    over = np.array([[large - 1, large], [10**9, 2 * 10**9], [10**9, 2 * 10**9 + 1]])
    assert follows_ratios(over, np.ones_like(over), 2).tolist() == [False, True, False]
    huge = [[10**18, 3 * 10**18], [10**18, 3 * 10**18 + 1], [10**40, 3 * 10**40 + 1]]
    assert follows_ratios(np.array(huge, dtype=object), np.ones((3, 2), int), 2).tolist() == [
        True,
        False,
        False,
    ]


def test_one_score_and_no_unit():
    assert follows_ratios([[7]], [[3]], 1).tolist() == [True]
    assert follows_ratios(np.empty((0, 8), int), np.empty((0, 8), int), 1).tolist() == []


@pytest.mark.parametrize(
    ("over", "under", "figures", "fault"),
    [
        ([1, 2], [1, 1], 1, "shape"),
        ([[1, 2]], [[1]], 1, "shape"),
        ([[0, 2]], [[1, 1]], 1, "whole numbers above 0"),
        ([[1, 2]], [[1, -1]], 1, "whole numbers above 0"),
        ([[1.5, 2]], [[1, 1]], 1, "whole numbers above 0"),
        ([[1, 2]], np.array([[1, 0.5]], dtype=object), 1, "whole numbers above 0"),
        ([[1, 2]], [[1, 1]], 4, "not 4"),
    ],
)
def test_what_cannot_be_answered_is_refused(over, under, figures, fault):
    with pytest.raises(ScalingError, match=fault):
        follows_ratios(over, under, figures)
