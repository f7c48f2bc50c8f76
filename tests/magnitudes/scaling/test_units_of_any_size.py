"""Scores of one topic in units of different sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.scaling import ScalingError
from magnitudes.scaling.normalisation import normalise, normalise_groups

SCHEMES = ("geometric", "median", "midrange", "anchors", "none")
NEAR = 1e-12
scores_of_groups = st.lists(
    st.lists(st.floats(1e-9, 1e12), min_size=1, max_size=9), min_size=1, max_size=7
)


def flat(units: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    groups = np.repeat(np.arange(len(units)), [len(unit) for unit in units])
    return np.concatenate([np.array(unit) for unit in units]), groups


@pytest.mark.parametrize("scheme", SCHEMES)
@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(2, 12))
def test_units_of_one_size_are_as_in_a_table_to_the_last_bit(scheme, seed, units, size):
    rng = np.random.default_rng(seed)
    table = np.exp(rng.normal(0, 3, (units, size)))
    order = rng.permutation(table.size)
    groups = np.repeat(rng.permutation(units), size)
    anchors = np.argsort(rng.random(table.shape), axis=1)[:, :2].T
    is_anchor = np.zeros(table.shape, np.bool_)
    is_anchor[np.arange(units), anchors] = True
    expected = normalise(table, scheme, *anchors)
    result = normalise_groups(table.ravel()[order], groups[order], scheme, is_anchor.ravel()[order])
    assert result.gamma == expected.gamma
    np.testing.assert_array_equal(result.values, expected.values.ravel()[order])
    np.testing.assert_array_equal(result.gamma_u, np.repeat(expected.gamma_u, size)[order])


@given(scores_of_groups)
def test_values_are_those_of_plain_logarithms(units):
    scores, groups = flat(units)
    values, gamma, gamma_u = normalise_groups(scores, groups)
    assert gamma == pytest.approx(np.exp(np.mean(np.log(scores))), rel=NEAR)
    for number, unit in enumerate(units):
        centre = np.exp(np.mean(np.log(unit)))
        np.testing.assert_allclose(gamma_u[groups == number], centre, rtol=NEAR)
        np.testing.assert_allclose(
            values[groups == number], np.array(unit) * gamma / centre, rtol=1e-11
        )


@given(scores_of_groups, st.floats(1e-3, 1e3))
def test_the_scale_of_a_unit_makes_no_difference_but_to_the_whole(units, factor):
    units = [[min(max(score, 1e-5), 1e8) for score in unit] for unit in units]
    other = [[factor * score for score in units[0]], *units[1:]]
    before, after = (normalise_groups(*flat(some)) for some in (units, other))
    np.testing.assert_allclose(after.values / after.gamma, before.values / before.gamma, rtol=1e-10)


def test_a_unit_of_one_score_becomes_the_centre_of_the_topic():
    values, gamma, _ = normalise_groups([3.0, 700.0, 2.0, 8.0], [0, 1, 2, 2])
    assert values[:2] == pytest.approx([gamma, gamma], rel=NEAR)


def test_without_a_score_there_is_no_centre():
    values, gamma, gamma_u = normalise_groups([], np.empty(0, dtype=np.int64))
    assert (len(values), len(gamma_u)) == (0, 0)
    assert np.isnan(gamma)


@pytest.mark.parametrize(
    ("scores", "groups", "scheme", "said"),
    [
        ([1.0, 0.0], [0, 0], "geometric", "score 0.0 of unit 1, column 0 does not lie from"),
        ([1.0, 2.0], [0], "geometric", "groups must hold one code for each of 2 values"),
        ([1.0, 2.0], [0.5, 1], "geometric", "groups must be whole numbers"),
        ([1.0, 2.0], [0, 0], "mean", "unknown scheme 'mean'"),
        ([1.0, 2.0], [0, 0], "anchors", "the scheme anchors needs h_k"),
    ],
)
def test_what_cannot_be_normalised_is_refused(scores, groups, scheme, said):
    with pytest.raises(ScalingError, match=said):
        normalise_groups(scores, groups, scheme)
