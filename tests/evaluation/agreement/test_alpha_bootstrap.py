import numpy as np
import pytest
from scipy.stats import rankdata

from evaluation.agreement import AgreementError
from evaluation.agreement.alpha import bootstrap_alpha
from evaluation.agreement.alpha_sums import LEVELS
from evaluation.scaling import groups
from evaluation.scaling.groups import Resamples


def crowd(n_items=30, noise=1.0):
    rng = np.random.default_rng(6)
    items = np.repeat(np.arange(n_items), rng.integers(2, 6, n_items))
    truth = rng.normal(size=n_items)
    return rng.lognormal(truth[items], noise).round(1) + 0.1, items


def differences(level, values):
    """δ² of all pairs of values, in a table."""
    if level == "ordinal":
        values = rankdata(values)
    a, b = values[:, np.newaxis], values
    if level == "nominal":
        return (a != b).astype(float)
    return ((a - b) / (a + b if level == "ratio" else 1)) ** 2


@pytest.mark.parametrize("level", LEVELS)
def test_each_draw_has_its_own_observed_and_the_expected_of_all(level):
    values, items = crowd()
    table, sizes = differences(level, values), np.bincount(items)
    expected = table.sum() / (len(values) * (len(values) - 1))
    found = bootstrap_alpha(values, items, level, resamples=20, seed=3)
    for (_, weights), alpha in zip(Resamples(30, 20, 3).chunks(2**20), found.alphas, strict=True):
        drawn = np.repeat(np.arange(30), weights[0].astype(int))
        pairs = sum(table[np.ix_(items == i, items == i)].sum() / (sizes[i] - 1) for i in drawn)
        assert alpha == pytest.approx(1 - pairs / sizes[drawn].sum() / expected, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_how_much_is_done_at_once_does_not_matter(level, monkeypatch):
    values, items = crowd()
    whole = bootstrap_alpha(values, items, level, resamples=50, seed=3).alphas
    monkeypatch.setattr(groups, "AT_ONCE", 300)
    parts = bootstrap_alpha(values, items, level, resamples=50, seed=3).alphas
    assert parts == pytest.approx(whole, abs=1e-12)


def test_draws_are_with_replacement_and_of_as_many_items():
    (_, weights), *rest = Resamples(50, 400, 1).chunks(1)
    assert not rest
    assert (weights.sum(axis=1) == 50).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(50), abs=0.25)
    assert weights.var(axis=0).mean() == pytest.approx(1 - 1 / 50, rel=0.1)


def test_the_seed_decides_and_is_given_back():
    values, items = crowd()
    one, same, other = (bootstrap_alpha(values, items, seed=seed) for seed in (1, 1, 2))
    assert (one.alphas == same.alphas).all()
    assert (one.alphas != other.alphas).any()
    assert (one.seed, other.seed) == (1, 2)


def test_agreement_is_told_from_chance():
    values, items = crowd(60, noise=0.5)
    agree = bootstrap_alpha(values, items, seed=1)
    assert agree.p == 0
    assert 0 < agree.low < agree.alpha < agree.high < 1
    mixed = np.random.default_rng(1).permutation(values)
    chance = bootstrap_alpha(mixed, items, seed=1)
    assert 0.05 < chance.p < 0.95
    assert chance.p == np.mean(chance.alphas <= 0)


@pytest.mark.parametrize("level", LEVELS)
def test_without_anything_to_expect_it_is_nan(level):
    found = bootstrap_alpha([2, 2, 2, 2], [0, 0, 1, 1], level, resamples=7, seed=1)
    assert found.alphas.shape == (7,)
    assert np.isnan([found.alpha, found.low, found.high, found.p, *found.alphas]).all()


@pytest.mark.parametrize("level", LEVELS)
def test_items_that_all_agree_agree_in_every_draw(level):
    found = bootstrap_alpha([2, 2, 5, 5], [0, 0, 1, 1], level, resamples=100, seed=1)
    assert found.alphas == pytest.approx(np.ones(100))
    assert (found.low, found.high, found.p) == pytest.approx((1, 1, 0))


@pytest.mark.parametrize("level", LEVELS)
def test_a_draw_of_one_item_again_and_again_is_held_against_what_all_lead_to_expect(level):
    found = bootstrap_alpha([1, 2, 5, 7], [0, 0, 1, 1], level, resamples=100, seed=1)
    (_, weights), *_ = Resamples(2, 100, 1).chunks(1)
    by_draw = {tuple(counts): alpha for counts, alpha in zip(weights, found.alphas, strict=True)}
    assert by_draw[1, 1] == pytest.approx(found.alpha)
    assert (by_draw[2, 0] + by_draw[0, 2]) / 2 == pytest.approx(found.alpha)


def test_no_draw_is_no_bootstrap():
    with pytest.raises(AgreementError, match="at least one resample"):
        bootstrap_alpha([1, 2], [0, 0], resamples=0, seed=1)
