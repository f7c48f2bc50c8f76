import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.correlation import tau_b, tau_interval, tau_many
from magnitudes.comparison.ranks import rounded

# Lightness of canned tuna and what a panel said of its quality: Hollander, Wolfe and Chicken,
# example 8.1, where tau is 0.444.
LIGHTNESS = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1]
QUALITY = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8]


def scipys(first, second):
    return stats.kendalltau(rounded(first), rounded(second)).statistic


def in_words(x, y):
    """The interval of Hollander, Wolfe and Chicken, pair by pair."""
    n = len(x)
    counts = []
    for i in range(n):
        count = 0
        for j in range(n):
            product = (x[j] - x[i]) * (y[j] - y[i])
            count += (product > 0) - (product < 0)
        counts.append(count)
    mean = sum(counts) / n
    tau = scipys(x, y)
    squares = sum((count - mean) ** 2 for count in counts)
    variance = 2 / (n * (n - 1)) * (2 * (n - 2) / (n * (n - 1) ** 2) * squares + 1 - tau**2)
    margin = 1.959963984540054 * math.sqrt(variance)
    return tau, tau - margin, tau + margin


def test_an_example_of_the_book():
    tau, low, high, reason = tau_interval(LIGHTNESS, QUALITY)
    assert tau == pytest.approx(16 / 36)
    assert (low, high) == pytest.approx(in_words(LIGHTNESS, QUALITY)[1:], rel=1e-12)
    # By hand: C is 6, 4, 8, 4, 2, -2, 4, 4, 2, its squares about the mean come to 62.222,
    # s² = 2/72 (14/576 · 62.222 + 1 - 0.1975) = 0.0643, and 1.96 s = 0.4970.
    assert (low, high) == pytest.approx((-0.0526, 0.9414), abs=5e-5)
    assert reason == ""


@given(st.integers(3, 25), st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 1000]))
def test_the_interval_is_that_of_a_plain_loop(n, seed, values):
    x, y = np.random.default_rng(seed).integers(0, values, (2, n)).astype(float)
    found = tau_interval(x, y)
    if math.isnan(found.tau):
        assert len(set(x)) == 1 or len(set(y)) == 1
        return
    # Where the variance is zero, a last digit of it is worth eight of its root.
    assert found[:3] == pytest.approx(in_words(x.tolist(), y.tolist()), rel=1e-9, abs=1e-7)


def test_the_interval_is_not_cut_off():
    x = np.arange(6.0)
    assert tau_interval(x, [0, 1, 2, 3, 5, 4]).high > 1
    assert tau_interval(x, [0, 1, 2, 3, 5, 4]).low < 1


@given(
    arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(2, 9)), elements=st.integers(0, 4)),
    st.randoms(),
)
def test_many_are_scipys_one_by_one(others, random):
    reference = [float(random.randint(0, 4)) for _ in range(others.shape[1])]
    expected = [scipys(reference, row) for row in others]
    np.testing.assert_allclose(tau_many(reference, others), expected, rtol=0, atol=1e-12)


def test_many_of_129_systems_are_scipys():
    rng = np.random.default_rng(3)
    reference = rng.random(129)
    others = reference + rng.normal(0, 0.3, (50, 129))
    others[:10] = others[:10].round(1)
    expected = [scipys(reference, row) for row in others]
    np.testing.assert_allclose(tau_many(reference, others), expected, rtol=0, atol=1e-12)
    assert [tau_b(reference, row) for row in others] == tau_many(reference, others).tolist()


@pytest.mark.whole
def test_more_systems_than_two_bytes_count():
    n = 33_000
    reference = np.arange(n)
    assert tau_many(reference, [reference, -reference]).tolist() == [1, -1]


def test_the_order_of_addition_makes_a_tie_and_nothing_else():
    close = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.9]
    assert close[0] != close[1]
    assert tau_b([1, 2, 3], close) == tau_b([2, 1, 3], close)
    assert tau_b([1, 2, 3], close) < 1


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([], [], "an order needs at least 2 systems, not 0"),
        ([0.5], [0.7], "an order needs at least 2 systems, not 1"),
        ([0.5, 0.5], [0.1, 0.2], "all values of the first list are equal"),
        ([1, 2, 3], [0.1 + 0.2, 0.3, 0.3], "all values of the second list are equal"),
        ([1, math.nan, 3], [1, 2, 3], "a system of the first list has no value"),
    ],
)
def test_undefined(first, second, reason):
    found = tau_interval(first, second)
    assert np.isnan(found[:3]).all()
    assert found.reason == reason
    assert math.isnan(tau_b(first, second))


def test_two_systems_have_a_tau_and_no_interval():
    found = tau_interval([1, 2], [3, 1])
    assert found.tau == -1
    assert np.isnan([found.low, found.high]).all()
    assert found.reason == "an interval needs at least 3 systems, not 2"


def test_extreme_values_are_only_an_order():
    assert tau_b([1e12, 1e-9, -1e12], [3, 2, 1]) == 1
    assert tau_many([1, 2, 3], [[-np.inf, 0, np.inf]]).tolist() == [1]


@pytest.mark.parametrize("others", [[1, 2, 3], [[1, 2]], np.zeros((2, 2, 3))])
def test_shapes_that_do_not_fit(others):
    with pytest.raises(ComparisonError, match="do not fit"):
        tau_many([1, 2, 3], others)
