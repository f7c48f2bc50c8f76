import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from magnitudes.scaling import ScalingError
from magnitudes.scaling.normalisation import SCHEMES, normalise

CENTRED = [scheme for scheme in SCHEMES if scheme != "none"]
HABITS = np.array([[1.0, 2, 3, 4], [10, 20, 30, 40]])

topics = st.tuples(st.integers(1, 6), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(1e-6, 1e6))
)


def anchored(scores):
    """Anchors that stand elsewhere in each unit."""
    units, size = scores.shape
    column = np.arange(units) % size
    return {"h_k": column, "n_k": (column + 1) % size}


def by_hand(scores, scheme, h_k, n_k):
    """The equations as they are printed, one score after the other."""
    units = scores.tolist()
    pooled = [math.log(s) for unit in units for s in unit]
    whole = statistics.median(pooled) if scheme == "median" else statistics.fmean(pooled)
    values = []
    for unit, high, low in zip(units, h_k, n_k, strict=True):
        logs = [math.log(s) for s in unit]
        centre = {
            "geometric": statistics.fmean(logs),
            "median": statistics.median(logs),
            "midrange": statistics.fmean([max(logs), min(logs)]),
            "anchors": statistics.fmean([logs[high], logs[low]]),
        }[scheme]
        values.append([math.exp(x - centre + whole) for x in logs])
    return values


@pytest.mark.parametrize("scheme", CENTRED)
def test_two_habits_become_one(scheme):
    values = normalise(HABITS, scheme, h_k=[3, 3], n_k=[0, 0]).values
    np.testing.assert_allclose(values[0], values[1], rtol=1e-15)


def test_geometric_of_the_two_habits():
    values, gamma, gamma_u = normalise(HABITS)
    assert gamma_u == pytest.approx([24**0.25, 10 * 24**0.25], rel=1e-15)
    assert gamma == pytest.approx(24**0.25 * math.sqrt(10), rel=1e-15)
    np.testing.assert_allclose(values, np.sqrt(10) * HABITS[[0, 0]], rtol=1e-15)


def test_the_schemes_differ_in_the_centre_of_a_unit():
    scores = [[1.0, 2, 4, 64], [1, 1, 1, 1]]
    centres = {
        scheme: normalise(scores, scheme, h_k=[2, 0], n_k=[0, 1]).gamma_u[0] for scheme in SCHEMES
    }
    assert centres == pytest.approx(
        {"geometric": 2**2.25, "median": 2**1.5, "midrange": 8, "anchors": 2, "none": 1}
    )


def test_the_median_scheme_moves_to_the_topics_median_the_others_to_its_mean():
    scores = [[1.0, 2, 4, 64], [1, 1, 1, 1]]
    assert normalise(scores, "median").gamma == pytest.approx(1)
    for scheme in ("geometric", "midrange", "anchors"):
        gamma = normalise(scores, scheme, h_k=[2, 0], n_k=[0, 1]).gamma
        assert gamma == pytest.approx(2 ** (9 / 8))


@pytest.mark.parametrize("scheme", CENTRED)
@given(scores=topics)
def test_every_scheme_does_what_its_equation_says(scheme, scores):
    expected = by_hand(scores, scheme, **anchored(scores))
    result = normalise(scores, scheme, **anchored(scores))
    np.testing.assert_allclose(result.values, expected, rtol=1e-12)
    np.testing.assert_allclose(
        result.values, scores * result.gamma / result.gamma_u[:, None], rtol=1e-12
    )


@pytest.mark.parametrize("scheme", SCHEMES)
@given(scores=topics)
def test_ratios_within_a_unit_are_kept(scheme, scores):
    values = normalise(scores, scheme, **anchored(scores)).values
    np.testing.assert_allclose(values / values[:, :1], scores / scores[:, :1], rtol=1e-12)
    assert (np.diff(values)[np.diff(scores) == 0] == 0).all()
    assert (np.diff(values)[np.diff(scores) > 0] >= 0).all()


@given(scores=topics)
def test_geometric_units_and_the_topic_have_the_geometric_mean_gamma(scores):
    values, gamma, _ = normalise(scores)
    np.testing.assert_allclose(np.exp(np.log(values).mean(axis=1)), gamma, rtol=1e-12)
    assert np.exp(np.log(values).mean()) == pytest.approx(gamma, rel=1e-12)
    assert gamma == pytest.approx(np.exp(np.log(scores).mean()), rel=1e-12)


@pytest.mark.parametrize("scheme", CENTRED)
@given(scores=topics, factor=st.floats(1e-3, 1e3))
def test_a_workers_factor_moves_the_topic_and_nothing_else(scheme, scores, factor):
    """One unit in another scale: all values change by one common factor, none against another."""
    other = scores.copy()
    other[0] *= factor
    before = normalise(scores, scheme, **anchored(scores))
    after = normalise(other, scheme, **anchored(scores))
    common = after.gamma / before.gamma
    np.testing.assert_allclose(after.values, before.values * common, rtol=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(scores=topics, data=st.data())
def test_the_order_of_units_makes_no_difference_to_the_last_bit(scheme, scores, data):
    order = data.draw(st.permutations(range(len(scores))))
    anchors = anchored(scores)
    one = normalise(scores, scheme, **anchors)
    two = normalise(scores[order], scheme, **{name: c[order] for name, c in anchors.items()})
    assert two.gamma == one.gamma
    assert (two.gamma_u == one.gamma_u[order]).all()
    assert (two.values == one.values[order]).all()


@pytest.mark.parametrize("scheme", ["geometric", "median", "midrange"])
@given(scores=topics, data=st.data())
def test_the_order_within_a_unit_makes_no_difference_to_the_last_bit(scheme, scores, data):
    order = data.draw(st.permutations(range(scores.shape[1])))
    one = normalise(scores, scheme)
    two = normalise(scores[:, order], scheme)
    assert two.gamma == one.gamma
    assert (two.values == one.values[:, order]).all()


def test_memory_order_makes_no_difference():
    scores = np.random.default_rng(5).lognormal(size=(40, 8))
    one, two = normalise(scores), normalise(np.asfortranarray(scores))
    assert (one.values == two.values).all()
    assert one.gamma == two.gamma


@pytest.mark.parametrize("scheme", ["geometric", "median"])
@given(unit=arrays(np.float64, (1, 8), elements=st.floats(1e-6, 1e6)))
def test_a_single_unit_stays_as_it_is(scheme, unit):
    assert (normalise(unit, scheme).values == unit).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_smallest_and_the_largest_magnitudes(scheme):
    scores = np.array([[1e11, 2e11, 1e12], [1e-9, 2e-9, 1e-8], [1e11, 2e11, 1e12]])
    values, gamma, gamma_u = normalise(scores, scheme, h_k=[2, 2, 2], n_k=[0, 0, 0])
    assert np.isfinite([gamma, *gamma_u]).all()
    np.testing.assert_allclose(values / values[:, :1], [[1, 2, 10]] * 3, rtol=1e-12)
    if scheme != "none":
        np.testing.assert_allclose(values[1], values[0], rtol=1e-11)


def test_without_units_there_is_no_centre():
    for scheme in SCHEMES:
        values, gamma, gamma_u = normalise(np.empty((0, 8)), scheme)
        assert values.shape == (0, 8)
        assert math.isnan(gamma)
        assert gamma_u.shape == (0,)


def test_none_leaves_scores_alone():
    values, gamma, gamma_u = normalise(HABITS, "none")
    assert (values == HABITS).all()
    assert gamma == 1
    assert (gamma_u == 1).all()


def test_what_is_given_is_not_changed_or_shared():
    scores = HABITS.copy()
    normalise(scores, "none").values[:] = 0
    assert (scores == HABITS).all()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[1, 0]], "score 0.0 of unit 0, column 1"),
        ([[1, 1], [-3, 1]], "score -3.0 of unit 1, column 0"),
        ([[1, float("nan")]], "score nan"),
        ([[1, float("inf")]], "score inf"),
        ([[1, 2e12]], "score 2000000000000.0 .* does not lie from 1e-09 to 1e[+]12"),
        ([[9e-10, 1]], "score 9e-10"),
        ([1, 2, 3], r"shape \(units, unit size\), not \(3,\)"),
        (5, r"not \(\)"),
        ([[], []], "without a score"),
    ],
)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_scores_that_are_none(scores, message, scheme):
    with pytest.raises(ScalingError, match=message):
        normalise(scores, scheme, h_k=[0, 0], n_k=[0, 0])


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        ({}, "needs h_k"),
        ({"h_k": [0, 0]}, "needs n_k"),
        ({"h_k": [0], "n_k": [0, 0]}, "one whole number for each of 2 units"),
        ({"h_k": [0.0, 1.0], "n_k": [0, 0]}, "whole number"),
        ({"h_k": [0, 4], "n_k": [0, 0]}, "h_k of unit 1 is 4, outside 0 to 3"),
        ({"h_k": [0, 0], "n_k": [-1, 0]}, "n_k of unit 0 is -1"),
    ],
)
def test_anchors_that_are_none(anchors, message):
    with pytest.raises(ScalingError, match=message):
        normalise(HABITS, "anchors", **anchors)


def test_an_unknown_scheme():
    with pytest.raises(ScalingError, match="unknown scheme 'mean'; there are geometric, median"):
        normalise(HABITS, "mean")
