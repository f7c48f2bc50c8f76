from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.gains.level_weights import gains_of, level_weights
from tests.magnitudes.gains.making import made_up, of_documents

CHANCES = st.floats(0, 1)
USERS = st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def binomial(p, m, n, top):
    """Equations (4) and (5), term by term."""
    start = max(m - 1, 0) if top else m
    return sum(comb(n - 1, k) * p**k * (1 - p) ** (n - 1 - k) for k in range(start, n))


@given(CHANCES, CHANCES, USERS)
def test_weights_are_the_sums_of_the_paper(p, top, users):
    found = level_weights([0.5, p, top], *users)
    assert found[0] == 0
    assert found[1] == pytest.approx(binomial(p, *users, top=False), abs=1e-12)
    assert found[2] == pytest.approx(binomial(top, *users, top=True), abs=1e-12)


@given(CHANCES, CHANCES, st.integers(1, 12))
def test_one_of_n_users_is_equation_3(p, top, n):
    found = level_weights([0.5, p, top], 1, n)
    assert found.tolist() == pytest.approx([0, 1 - (1 - p) ** (n - 1), 1], abs=1e-12)
    assert found[2] == 1


@given(CHANCES, CHANCES, st.integers(1, 8))
def test_with_chances_in_order_so_are_weights(p, q, n):
    low, high = sorted((p, q))
    for m in range(n + 1):
        found = level_weights([low, high, 1], m, n, keep_lowest=True)
        assert (np.diff(found) >= -1e-12).all()
        assert ((found >= 0) & (found <= 1)).all()


def test_leading_axes_broadcast():
    p = np.random.default_rng(1).random((4, 1, 3))
    found = level_weights(p, [1, 2], [3, 5])
    assert found.shape == (4, 2, 3)
    for place in np.ndindex(4, 2):
        alone = level_weights(p[place[0], 0], [1, 2][place[1]], [3, 5][place[1]])
        assert found[place].tolist() == alone.tolist()


def test_what_is_unknown_stays_so_where_it_matters():
    unknown = [np.nan] * 3
    assert level_weights(unknown, 1, 3).tolist() == pytest.approx([0, np.nan, 1], nan_ok=True)
    assert np.isnan(level_weights(unknown, 2, 3, keep_lowest=True)).all()


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 2), (3, 3)])
def test_all_users_cannot_find_best_what_one_of_them_does_not(m, n):
    found = level_weights([0.2, np.nan, 0.5], m, n, keep_lowest=True)
    assert found.tolist() == pytest.approx([0, 0, 0.5 ** (m - 1)])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"m": 4, "n": 3}, "M = 4 of N = 3 users: M must lie from 0 to N"),
        ({"m": -1}, "M must lie from 0 to N"),
        ({"m": 0, "n": 0}, "and N from 1"),
        ({"n": 2.5}, "must be whole numbers"),
        ({"n": None}, "must be whole numbers"),
        ({"n": 10001}, "N must be at most 10,000"),
        ({"m": 10**20, "n": 10**21}, "N must be at most 10,000"),
        ({"m": 10**20}, "M must lie from 0 to N"),
        ({"p": [0, 1.2, 1]}, r"p\(T\|i\) = 1.2 is not from 0 to 1"),
        ({"p": [0, -0.1, 1]}, "not from 0 to 1"),
        ({"p": [1]}, "at least 2 levels"),
        ({"p": 0.5}, "at least 2 levels"),
    ],
)
def test_what_cannot_be_weighed_is_an_error(wrong, message):
    with pytest.raises(GainError, match=message):
        level_weights(**{"p": [0.1, 0.2, 0.5], **wrong})


@given(st.integers(0, 2**32 - 1))
def test_the_gain_of_an_item_is_the_mean_weight_of_its_labels(seed):
    said = made_up(seed)
    weights = np.array([0, 0.4, 1])
    for item, gain in enumerate(gains_of(said, weights)):
        levels = said.levels[(said.items == item) & (said.levels >= 0)]
        expected = np.mean(weights[levels]) if len(levels) else np.nan
        assert gain == pytest.approx(expected, nan_ok=True)


def test_a_label_without_weight_makes_no_gain():
    assert gains_of(of_documents([1, 2], [2, 2]), [0, np.nan, 1]).tolist() == pytest.approx(
        [np.nan, 1], nan_ok=True
    )


@pytest.mark.parametrize("weights", [[0, 1], [0, -0.1, 1], [0, np.inf, 1]])
def test_weights_must_fit_the_levels(weights):
    with pytest.raises(GainError, match="weights"):
        gains_of(of_documents([1, 2]), weights)
