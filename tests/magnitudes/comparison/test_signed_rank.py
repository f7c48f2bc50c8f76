import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from magnitudes.comparison.signed_rank import signed_rank_p


def scipys(column):
    """Of one system alone; SciPy has no p-value where nothing differs."""
    return stats.wilcoxon(column).pvalue if np.any(column) else 1.0


@settings(max_examples=15, deadline=None)
@given(
    st.integers(2, 60), st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 10**6])
)
def test_each_system_is_scipys(pairs, systems, seed, size):
    given_ = np.random.default_rng(seed).integers(-size, size + 1, (pairs, systems)) / 8
    expected = [scipys(column) for column in given_.T]
    np.testing.assert_allclose(signed_rank_p(given_), expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("pairs", [2, 12, 13, 14, 18, 49, 50, 51])
def test_neighbours_do_not_change_how_a_system_is_tested(pairs):
    """Ties in one system and zeros in another, beside one that has neither."""
    rng = np.random.default_rng(pairs)
    clean = rng.normal(0.3, 1, pairs)
    tied, zero = clean.copy(), clean.copy()
    tied[0], zero[-1] = -tied[1], 0
    together = signed_rank_p(np.stack([clean, tied, zero], axis=1))
    alone = [scipys(column) for column in (clean, tied, zero)]
    np.testing.assert_allclose(together, alone, rtol=1e-11)


def test_a_printed_table():
    """Critical values of tables: the smaller sum for p <= 0.05, and the next one."""
    for pairs, critical in ((6, 0), (7, 2), (8, 3), (10, 8), (12, 13), (20, 52)):
        for lower, significant in ((critical, True), (critical + 1, False)):
            assert (signed_rank_p(with_sum(pairs, lower))[0] <= 0.05) == significant


def with_sum(pairs, lower):
    """Differences whose negative ranks have a given sum."""
    column = np.arange(1.0, pairs + 1)
    for rank in range(pairs, 0, -1):
        if rank <= lower:
            column[rank - 1] *= -1
            lower -= rank
    return column[:, np.newaxis]


def test_leading_axes_and_parts(monkeypatch):
    many = np.random.default_rng(1).normal(size=(3, 4, 9, 5)).round(1)
    whole = signed_rank_p(many)
    assert whole.shape == (3, 4, 5)
    assert (whole[2, 1] == signed_rank_p(many[2, 1])).all()
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 20)
    assert (signed_rank_p(many) == whole).all()


def test_nothing_differs():
    assert signed_rank_p(np.zeros((4, 2))).tolist() == [1, 1]
    assert signed_rank_p(np.zeros((70, 1))).tolist() == [1]
    assert signed_rank_p([[0.1 + 0.2 - 0.3]] * 9).tolist() == [1]


def test_one_pair_or_none_says_nothing():
    assert np.isnan(signed_rank_p([[0.3, 0.0]])).all()
    assert np.isnan(signed_rank_p(np.empty((0, 2)))).all()


def test_nan_is_only_its_systems():
    p = signed_rank_p([[1, 1], [2, math.nan], [-3, 3], [4, 4]])
    assert math.isnan(p[1])
    assert p[0] == scipys([1, 2, -3, 4])


def test_extremes_are_only_an_order():
    assert signed_rank_p([[1e-9], [-2e-9], [3e-9]]) == signed_rank_p([[1], [-2], [3]])
