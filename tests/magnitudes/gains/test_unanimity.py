import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.gains.bounded import bounded
from magnitudes.gains.unanimity import simulated_ratings, unanimity
from magnitudes.scaling import ScalingError
from tests.magnitudes.gains.making import unanimity_of_table


def by_loop(items, ratings, n_items, d_max, n, p):
    """RawG, D, WG, UG and the mark of each item, straight from the definitions."""
    for item in range(n_items):
        first = [r for i, r in zip(items, ratings, strict=True) if i == item][:n]
        if not first:
            yield (np.nan,) * 4 + (False,)
            continue
        raw, spread = sum(first) * n / len(first), max(first) - min(first)
        aware = raw + p * n * (d_max - spread) if raw > 0 else 0
        yield raw, spread, (1 - spread / d_max) * raw, aware, len(first) < n


@st.composite
def opinions(draw):
    d_max = draw(st.integers(1, 8))
    n_items = draw(st.integers(1, 6))
    pairs = st.tuples(st.integers(0, n_items - 1), st.integers(0, d_max))
    items, ratings = np.array(draw(st.lists(pairs, min_size=1, max_size=40))).T
    return items, ratings, n_items, d_max


@settings(max_examples=100, deadline=None)
@given(opinions(), st.integers(1, 6), st.floats(0, 1))
def test_flat_ratings_are_what_a_loop_gives(made, n, p):
    found = unanimity(*made, n=n, p=p)
    expected = np.array(list(by_loop(*made, n, p)), dtype=float).T
    np.testing.assert_allclose(np.array(found, dtype=float), expected, rtol=1e-13)


@settings(max_examples=60, deadline=None)
@given(opinions(), st.integers(1, 6))
def test_unanimity_adds_at_most_p_n_d_max(made, n):
    d_max = made[3]
    plain, aware = (unanimity(*made, n=n, p=p).aware for p in (0, 0.2))
    rated = ~np.isnan(plain)
    assert (plain[rated] == unanimity(*made, n=n).raw[rated]).all()
    assert (aware[rated] >= plain[rated]).all()
    assert (aware[rated] <= 1.2 * n * d_max + 1e-9).all()
    assert (aware[plain == 0] == 0).all()


def test_the_order_of_completion_says_which_ratings_count():
    assert unanimity([0, 0, 0], [1, 2, 3], 1, 3, n=2).raw == [3]
    assert unanimity([0, 0, 0], [3, 2, 1], 1, 3, n=2).raw == [5]


def test_a_table_is_read_along_its_rows():
    rng = np.random.default_rng(4)
    table = rng.integers(0, 4, (50, 7)).astype(float)
    table[rng.random(table.shape) < 0.4] = np.nan
    items, ratings = np.repeat(np.arange(50), 7), table.ravel()
    kept = ~np.isnan(ratings)
    flat = unanimity(items[kept], ratings[kept], 50, 3, n=4)
    for one, other in zip(unanimity_of_table(table, 3, n=4), flat, strict=True):
        np.testing.assert_array_equal(one, other)


def test_nothing_rated():
    found = unanimity([], [], 2, 3, n=3)
    assert np.isnan(found.aware).all()
    assert not found.short.any()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ratings": [1, 4]}, "rating 4.0 at place 1 is not from 0 to 3"),
        ({"ratings": [-1, 1]}, "rating -1.0 at place 0"),
        ({"ratings": [1, np.nan]}, "rating nan"),
        ({"ratings": [[1, 2]]}, r"shape \(1, 2\)"),
        ({"d_max": 0}, "d_max must be a finite number above 0"),
        ({"p": 1.1}, "p must lie from 0 to 1, not 1.1"),
        ({"p": np.nan}, "p must lie from 0 to 1"),
        ({"n": 0}, "must be at least 1, not 0"),
    ],
)
def test_bad_input_is_named(change, said):
    usual = {"items": [0, 0], "ratings": [1, 2], "n_items": 1, "d_max": 3, "n": 2}
    with pytest.raises(GainError, match=said):
        unanimity(**(usual | change))


def test_items_outside():
    with pytest.raises(ScalingError, match="from 0 to 0"):
        unanimity([0, 1], [1, 2], 1, 3, n=2)


def test_simulated_ratings_are_uniform_whole_numbers():
    labels = np.repeat([0, 1, 2], 4000)
    found = simulated_ratings(labels, d_max=4, n=5, seed=3)
    assert found.seed == 3
    assert not found.ratings[:4000].any()
    counts = np.bincount(found.ratings[4000:].ravel(), minlength=5)
    assert counts.sum() == 8000 * 5
    assert np.abs(counts / counts.sum() - 0.2).max() < 0.01
    np.testing.assert_array_equal(found.ratings, simulated_ratings(labels, 4, 5, 3).ratings)


def test_unanimity_vanishes_with_many_simulated_ratings():
    """Section 4: as N grows both ends are given, D is Dmax, and UG is RawG."""
    for d_max in (2, 4, 8):
        found = unanimity_of_table(simulated_ratings([1] * 300, d_max, 80).ratings, d_max)
        assert (found.aware == found.raw).mean() > 0.99


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[1]], 2, 5), "one list"),
        (([np.nan], 2, 5), "one list of numbers"),
        (([1], 0, 5), "not 0 and 5"),
        (([1], 2, 0), "not 2 and 0"),
    ],
)
def test_nothing_to_simulate(arguments, said):
    with pytest.raises(GainError, match=said):
        simulated_ratings(*arguments)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.01, 100), st.floats(1.1, 50), st.floats(0, 1), st.floats(1e-6, 1e6))
def test_equal_ratios_are_equal_steps_whatever_the_unit(n_k, ratio, u, factor):
    score, h_k = n_k * ratio**u, n_k * ratio
    np.testing.assert_allclose(bounded([score], n_k, h_k).ratings, [u], atol=1e-9)
    scaled = bounded([score * factor], n_k * factor, h_k * factor).ratings
    np.testing.assert_allclose(scaled, [u], atol=1e-9)


def test_each_topic_has_its_own_anchors():
    found = bounded([[2, 8], [5, 1]], n_k=[[2], [5]], h_k=[[8], [5]])
    np.testing.assert_array_equal(found.ratings, [[0, 1], [np.nan, np.nan]])
    assert bounded([3, np.nan], 2, 1).below == 0


def test_scores_that_differ_by_rounding_have_the_same_rating():
    # What three workers gave to N_k, brought to one scale: 2, but for the last digit.
    units = np.array([0.7, 1.9, 3.1])
    scores = 2 * units * 1.3 / units / 1.3
    n_k = float(np.nextafter(scores.min(), 0))
    found = bounded([*scores, 4], n_k, [8, 8, 8, 8])
    assert found.ratings[:3].tolist() == [0, 0, 0]
    assert found.below == 0
    assert unanimity([0, 0, 0], found.ratings[:3], 1, 1, n=3).aware.tolist() == [0]
    assert np.isnan(bounded(3, 3, np.nextafter(3, 4)).ratings)


def test_steps_make_people_agree():
    near = [1.9, 2.0, 2.1]
    assert np.ptp(bounded(near, 1, 4, steps=4).ratings) == 0 < np.ptp(bounded(near, 1, 4).ratings)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0], 1, 2), "score 0.0 is not a positive"),
        (([1], 1, np.inf), "h_k inf"),
        (([1], -1, 2), "n_k -1.0"),
        (([1], 1, 2, 0), "at least 1 step, not 0"),
    ],
)
def test_scores_without_a_scale(arguments, said):
    with pytest.raises(GainError, match=said):
        bounded(*arguments)
