"""Spearman's correlation and its p, against all orders and SciPy; and Holm's correction."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.holm import holm
from magnitudes.comparison.rank_correlation import spearman


@pytest.mark.parametrize("n", [3, 5, 6, 7])
def test_few_values_have_the_share_of_all_orders(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, n, n).astype(float), rng.random(n)  # with ties
    x[0], x[1] = 0, 1
    found = spearman(x, y)
    orders = [abs(stats.spearmanr(x, order).statistic) for order in permutations(y)]
    assert found.rho == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found.p == pytest.approx(np.mean(np.array(orders) >= abs(found.rho) - 1e-9))
    assert found.seed is None


def test_five_in_the_same_order_are_two_of_120_orders() -> None:
    assert spearman(range(5), range(5)).p == 2 / 120
    assert spearman(range(5), range(5, 0, -1)).p == 2 / 120


def test_many_values_have_a_share_of_drawn_orders_that_is_never_0() -> None:
    rng = np.random.default_rng(3)
    x = rng.random(30)
    assert spearman(x, x, 999, seed=1) == (pytest.approx(1), 1 / 1000, 1)
    y = x + rng.normal(0, 0.8, 30)
    peer = stats.permutation_test(
        (x,),
        lambda some: stats.spearmanr(some, y).statistic,
        permutation_type="pairings",
        n_resamples=2000,
        rng=np.random.default_rng(4),
    )
    assert 0.01 < peer.pvalue < 0.99
    assert spearman(x, y).p == pytest.approx(peer.pvalue, abs=0.04)


def test_how_many_orders_are_made_at_a_time_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    x, y = rng.random((2, 12))
    usual = spearman(x, y, 500, seed=2)
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 70)
    assert spearman(x, y, 500, seed=2) == usual


def test_what_does_not_vary_has_no_correlation_and_what_does_not_fit_is_refused() -> None:
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3])[:2]).all()
    with pytest.raises(ComparisonError, match="one length"):
        spearman([1, 2], [1, 2, 3])
    with pytest.raises(ComparisonError, match="finite"):
        spearman([1, np.nan], [1, 2])


def test_holm_is_the_sequential_procedure() -> None:
    given = np.array([0.03, 0.001, 0.04, 0.2, np.nan])
    assert holm(given).tolist()[:4] == pytest.approx([0.09, 0.004, 0.09, 0.2])
    assert np.isnan(holm(given)[4])
    assert holm([0.9, 0.8]).tolist() == [1, 1]
    assert holm([]).size == 0
