import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from magnitudes.scaling import ScalingError
from magnitudes.spread.distribution import (
    LogNormal,
    empirical_cdf,
    fit_log_normal,
    kolmogorov_distance,
    shares_at,
)

scores = st.lists(st.sampled_from([0.01, 1, 2, 3, 5, 10, 20, 100]), min_size=1, max_size=200)


def test_the_fit_is_scipys_but_for_the_n_less_one():
    values = np.random.default_rng(3).lognormal(1.5, 1.2, 5000)
    mean, sd = fit_log_normal(values)
    location, scale = stats.norm.fit(np.log(values))
    assert mean == pytest.approx(location)
    assert sd == pytest.approx(scale * np.sqrt(5000 / 4999))
    shape, _, factor = stats.lognorm.fit(values, floc=0)
    assert (mean, sd) == pytest.approx((np.log(factor), shape), rel=1e-3)


def test_the_curve_is_scipys():
    values = np.geomspace(1e-3, 1e3, 50)
    expected = stats.lognorm.cdf(values, s=0.7, scale=np.exp(1.1))
    assert LogNormal(1.1, 0.7).cdf(values) == pytest.approx(expected, abs=1e-15)


@given(scores)
def test_the_distribution_function_counts_what_is_at_or_below(values):
    cdf = empirical_cdf(values)
    assert cdf.values.tolist() == sorted(set(values))
    for value, share in zip(*cdf, strict=True):
        assert share == np.mean(np.array(values) <= value)


@given(
    st.lists(st.floats(0.1, 10) | st.sampled_from([1.0, 2.0]), min_size=1, max_size=300),
    st.integers(1, 40),
)
def test_a_thinned_one_has_few_points_and_is_nowhere_far_off(values, most):
    full, thin = empirical_cdf(values), empirical_cdf(values, most)
    assert len(thin.values) <= max(most, 1)
    assert thin.shares[-1] == 1
    drawn = np.concatenate([[0], thin.shares])[np.searchsorted(thin.values, full.values, "right")]
    assert np.abs(drawn - full.shares).max() <= 1 / most + 1e-12


def test_a_large_step_stays_where_it_is():
    values = [*np.linspace(0.1, 0.9, 300), *[1.0] * 400, *np.linspace(1.1, 9, 300)]
    thin = empirical_cdf(values, 10)
    assert 1.0 in thin.values


@given(scores)
def test_the_distance_is_scipys(values):
    fit = fit_log_normal(values)
    if len(set(values)) < 2:
        assert np.isnan(kolmogorov_distance(values))
        return
    expected = stats.kstest(np.log(values), stats.norm(fit.mean, fit.sd).cdf).statistic
    assert kolmogorov_distance(values) == pytest.approx(expected, abs=1e-12)


def test_the_distance_to_another_curve():
    values = np.random.default_rng(5).lognormal(size=100)
    expected = stats.kstest(np.log(values), "norm").statistic
    assert kolmogorov_distance(values, LogNormal(0, 1)) == pytest.approx(expected)


def test_shares_at_round_and_other_numbers():
    assert shares_at([1, 2, 2, 0.5]).tolist() == [0.25, 0.5, 0, 0]
    assert shares_at([1, 2, 2, 0.5], [0.5, 7]).tolist() == [0.25, 0]
    assert np.isnan(shares_at([])).all()


def test_too_little_gives_nan():
    assert np.isnan(fit_log_normal([])).all()
    mean, sd = fit_log_normal([1])
    assert mean == 0
    assert np.isnan(sd)
    assert np.isnan([kolmogorov_distance(v) for v in ([], [3], [0.1] * 7)]).all()
    assert empirical_cdf([]).values.size == 0


@pytest.mark.parametrize("bad", [0, -2, np.nan, np.inf])
def test_what_is_no_score_is_refused(bad):
    for function in (fit_log_normal, kolmogorov_distance):
        with pytest.raises(ScalingError, match="positive finite"):
            function([1, bad])


def test_no_points_are_no_drawing():
    with pytest.raises(ScalingError, match="at least one point"):
        empirical_cdf([1, 2], 0)
