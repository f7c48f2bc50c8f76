from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.alpha import krippendorff_alpha
from magnitudes.agreement.alpha_sums import LEVELS
from magnitudes.scaling import ScalingError

few_values = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([0.5, 1.0, 2.0, 3.0, 10.0])), max_size=40
)
magnitudes = st.lists(
    st.tuples(st.integers(0, 4), st.floats(-9, 12).map(lambda power: 10.0**power)), max_size=20
)


def split(pairs):
    return np.array([v for _, v in pairs]), np.array([i for i, _ in pairs], dtype=int)


def peer(values, items, level):
    """The krippendorff package's, or None where it does not answer."""
    groups = [values[items == item] for item in np.unique(items)]
    groups = [group for group in groups if len(group) > 1]
    if len(groups) < 2 or len(set(np.concatenate(groups))) < 2:
        return None
    table = np.full((max(map(len, groups)), len(groups)), np.nan)
    for column, group in enumerate(groups):
        table[: len(group), column] = group
    return krippendorff.alpha(reliability_data=table, level_of_measurement=level)


def exact(values, items):
    """The definition at the level ratio, in fractions."""
    groups = [[Fraction(v) for v in values[items == item]] for item in np.unique(items)]
    groups = [group for group in groups if len(group) > 1]
    pooled = [value for group in groups for value in group]
    n = len(pooled)
    if len(groups) < 2:
        return None

    def differences(group):
        return sum(((a - b) / (a + b)) ** 2 for a in group for b in group)

    expected = differences(pooled) / Fraction(max(n * (n - 1), 1))
    if expected < Fraction(1, 10**23):
        return None
    observed = sum(differences(group) / (len(group) - 1) for group in groups) / n
    return float(1 - observed / expected)


@pytest.mark.parametrize("level", LEVELS)
@given(few_values)
def test_it_is_the_peers(level, pairs):
    values, items = split(pairs)
    found, expected = krippendorff_alpha(values, items, level).alpha, peer(values, items, level)
    if expected is None:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_it_is_the_peers_for_a_crowd(level):
    rng = np.random.default_rng(2)
    items = np.repeat(np.arange(200), rng.integers(1, 15, 200))
    values = rng.lognormal(rng.normal(size=200)[items]).round(1) + 0.1
    found = krippendorff_alpha(values, items, level)
    assert found.alpha == pytest.approx(peer(values, items, level), abs=1e-12)
    assert 0 < found.alpha < 0.9


@given(magnitudes)
def test_ratio_is_the_definition_for_all_magnitudes_there_are(pairs):
    values, items = split(pairs)
    found, expected = krippendorff_alpha(values, items).alpha, exact(values, items)
    if expected is None:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(expected, abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("sigma", [1e-5, 0.01, 1, 10])
def test_ratio_is_the_definition_however_far_values_spread(sigma):
    rng = np.random.default_rng(4)
    items = np.repeat(np.arange(8), 3)
    values = 7 * np.exp(sigma * (rng.normal(size=8)[items] + rng.normal(size=24)))
    expected = exact(values, items)
    assert krippendorff_alpha(values, items).alpha == pytest.approx(expected, abs=1e-12)


def test_ratio_of_lone_values_far_apart():
    values = np.array([1e-9, 1e12, 3e-5, 3.1e-5, 3, 3, 3, 4])
    items = np.repeat(np.arange(4), 2)
    expected = exact(values, items)
    assert krippendorff_alpha(values, items).alpha == pytest.approx(expected, abs=1e-14)


def test_ratio_of_one_value_that_differs_among_thousands():
    values, items = np.full(4000, 5.0), np.repeat(np.arange(2000), 2)
    values[7] = 6
    others = len(values) - 1  # each pair with the one that differs, and its item's pair
    assert krippendorff_alpha(values, items).alpha == pytest.approx(1 - others / others, abs=1e-12)
    values[6] = 6
    assert krippendorff_alpha(values, items).alpha == 1


@pytest.mark.parametrize("level", ["interval", "ratio", "ordinal", "nominal"])
@given(pairs=few_values, power=st.integers(-30, 30))
def test_the_unit_of_scores_does_not_matter(level, pairs, power):
    values, items = split(pairs)
    one = krippendorff_alpha(values, items, level).alpha
    other = krippendorff_alpha(np.ldexp(values, power), items, level).alpha
    assert one == pytest.approx(other, abs=1e-12, nan_ok=True)


def test_the_first_values_count_in_the_order_in_which_they_came():
    values, items = [9, 1, 2, 8, 3, 7, 100], [0, 1, 1, 0, 0, 1, 2]
    first = krippendorff_alpha(values, items, first=2)
    assert first == krippendorff_alpha([9, 1, 2, 8], [0, 1, 1, 0])
    assert (first.items, first.values) == (2, 4)


def test_an_item_with_one_value_is_left_out():
    found = krippendorff_alpha([1, 2, 3, 4, 1000], [0, 0, 1, 1, 2])
    assert found == krippendorff_alpha([1, 2, 3, 4], [0, 0, 1, 1])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("values", "items"),
    [
        ([], []),
        ([1, 2], [0, 1]),
        ([1, 2, 5, 9], [0, 0, 0, 1]),
        ([3, 3, 3, 3], [0, 0, 1, 1]),
        ([0.1 + 0.2, 0.3] * 2, [0, 0, 1, 1]),
    ],
)
def test_without_anything_to_expect_it_is_nan(level, values, items):
    assert np.isnan(krippendorff_alpha(values, items, level).alpha)


@pytest.mark.parametrize("level", LEVELS)
def test_scores_that_are_equal_but_for_rounding_agree(level):
    values = [0.1 + 0.2, 0.3, 5, 5, 7, 7]
    assert krippendorff_alpha(values, [0, 0, 1, 1, 2, 2], level).alpha == pytest.approx(1)


def test_values_below_zero_where_the_level_allows_them():
    values, items = np.array([-1.0, 0, 3, 4, -1, -1]), np.repeat(np.arange(3), 2)
    for level in ("nominal", "ordinal", "interval"):
        expected = peer(values, items, level)
        assert krippendorff_alpha(values, items, level).alpha == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "items", "options", "fault"),
    [
        ([1, 0], [0, 0], {}, "not a positive finite"),
        ([1, np.nan], [0, 0], {"level": "nominal"}, "not a finite"),
        ([1, 2], [0, 0], {"level": "cardinal"}, "unknown level 'cardinal'"),
        ([1, 2], [0, 0], {"first": 0}, "not 0"),
        ([1, 2], [0, -1], {}, "items must lie from 0"),
        ([1, 2], [0], {}, "one code for each of 2"),
    ],
)
def test_what_cannot_be_answered_is_refused(values, items, options, fault):
    with pytest.raises(ScalingError, match=fault):
        krippendorff_alpha(values, items, **options)
