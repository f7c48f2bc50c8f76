import numpy as np
import pytest

from evaluation.scaling import ScalingError, differences, ratio_differences, resamples
from evaluation.scaling.alpha import LEVELS, krippendorff_alpha
from evaluation.scaling.alpha_bootstrap import bootstrap_alpha
from evaluation.scaling.resamples import Resamples


def crowd(n_items=30, noise=1.0):
    rng = np.random.default_rng(6)
    items = np.repeat(np.arange(n_items), rng.integers(2, 6, n_items))
    truth = rng.normal(size=n_items)
    return rng.lognormal(truth[items], noise).round(1) + 0.1, items


@pytest.mark.parametrize("level", LEVELS)
def test_each_draw_is_alpha_of_the_items_drawn(level):
    values, items = crowd()
    found = bootstrap_alpha(values, items, level, resamples=20, seed=3)
    for (_, weights), alpha in zip(Resamples(30, 20, 3).chunks(2**20), found.alphas, strict=True):
        drawn = np.repeat(np.arange(30), weights[0].astype(int))
        groups = [values[items == item] for item in drawn]
        again = np.repeat(np.arange(30), [len(group) for group in groups])
        expected = krippendorff_alpha(np.concatenate(groups), again, level).alpha
        assert alpha == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_how_much_is_done_at_once_does_not_matter(level, monkeypatch):
    values, items = crowd()
    whole = bootstrap_alpha(values, items, level, resamples=50, seed=3).alphas
    monkeypatch.setattr(resamples, "AT_ONCE", 300)
    monkeypatch.setattr(ratio_differences, "AT_ONCE", 500)
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
def test_a_draw_of_equal_values_only_is_left_out(level):
    found = bootstrap_alpha([2, 2, 5, 5], [0, 0, 1, 1], level, resamples=100, seed=1)
    missing = np.isnan(found.alphas)
    assert 20 < missing.sum() < 80
    assert found.alphas[~missing] == pytest.approx(1)
    assert (found.low, found.high, found.p) == pytest.approx((1, 1, 0))


@pytest.mark.parametrize("level", LEVELS)
def test_a_draw_of_one_item_again_and_again_is_left_out(level):
    found = bootstrap_alpha([1, 2, 5, 7], [0, 0, 1, 1], level, resamples=100, seed=1)
    (_, weights), *_ = Resamples(2, 100, 1).chunks(1)
    assert (np.isnan(found.alphas) == (weights == 0).any(axis=1)).all()
    assert found.alphas[~np.isnan(found.alphas)] == pytest.approx(found.alpha)


def test_no_draw_is_no_bootstrap():
    with pytest.raises(ScalingError, match="at least one resample"):
        bootstrap_alpha([1, 2], [0, 0], resamples=0, seed=1)


def test_sums_of_no_items():
    nobody = differences.Pairable(np.empty(0), np.empty(0, dtype=int))
    for level in LEVELS.values():
        assert level(nobody, Resamples(0, 2, None)).values.tolist() == [0, 0]
