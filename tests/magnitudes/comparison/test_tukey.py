from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.tukey import critical_difference, discrepancies, tukey_hsd

ERROR = 4.5 * np.sqrt(0.25 / 5000)  # of a share of 5,000, at most
N_RESAMPLES = 1000


def made_up(topics, systems, seed=0, apart=0.1):
    rng = np.random.default_rng(seed)
    hard = rng.normal(0.5, 0.2, (topics, 1))
    return hard + np.linspace(0, apart, systems) + rng.normal(0, 0.1, (topics, systems))


def by_enumeration(values):
    """p of all pairs, over all orders of the values of all topics."""
    means = values.mean(axis=0)
    ranges = [
        np.ptp(np.mean(rows, axis=0)) for rows in product(*(permutations(row) for row in values))
    ]
    apart = np.abs(means[:, np.newaxis] - means)
    return (np.array(ranges)[:, np.newaxis, np.newaxis] >= apart - 1e-12).mean(axis=0)


def by_loop(values, trials, seed):
    """The published algorithm, a topic and a trial at a time."""
    rng = np.random.default_rng(seed)
    means = values.mean(axis=0)
    count = np.zeros((len(means), len(means)))
    for _ in range(trials):
        shuffled = np.array([rng.permutation(row) for row in values]).mean(axis=0)
        widest = shuffled.max() - shuffled.min()
        for i in range(len(means)):
            for j in range(len(means)):
                count[i, j] += widest >= abs(means[i] - means[j]) - 1e-12
    return (count + 1) / (trials + 1)


@pytest.mark.parametrize(("topics", "systems"), [(2, 4), (3, 3), (4, 3), (8, 2)])
def test_few_topics_are_near_all_orders(topics, systems):
    values = made_up(topics, systems, seed=topics).round(2)
    np.testing.assert_allclose(tukey_hsd(values).p, by_enumeration(values), atol=ERROR)


def test_a_plain_loop_finds_the_same():
    values = made_up(30, 5, seed=2)
    np.testing.assert_allclose(tukey_hsd(values).p, by_loop(values, 2000, 1), atol=2 * ERROR)


def test_scipy_permutes_to_the_same_p():
    """Its permutation test with the range of means as statistic gives the p of the widest pair."""
    values = made_up(25, 4, seed=6, apart=0.06)
    found = tukey_hsd(values)
    peer = stats.permutation_test(
        tuple(values.T),
        lambda *columns, axis: np.ptp([column.mean(axis=axis) for column in columns], axis=0),
        permutation_type="samples",
        vectorized=True,
        n_resamples=5000,
        alternative="greater",
        rng=np.random.default_rng(3),
    )
    widest = np.abs(found.difference) == np.abs(found.difference).max()
    assert found.p[widest][0] == pytest.approx(peer.pvalue, abs=ERROR)
    assert 0.005 < peer.pvalue < 0.995  # else the test says little


def test_effects_are_in_residual_standard_deviations():
    """Of a two-way layout, by dummies and least squares."""
    values = made_up(12, 4, seed=9)
    topics, systems = values.shape
    rows = np.kron(np.eye(topics), np.ones((systems, 1)))
    columns = np.kron(np.ones((topics, 1)), np.eye(systems))[:, 1:]
    _, (left,), rank, _ = np.linalg.lstsq(np.hstack([rows, columns]), values.ravel())
    sd = np.sqrt(left / (values.size - rank))
    found = tukey_hsd(values, n_resamples=1)
    means = values.mean(axis=0)
    np.testing.assert_allclose(found.difference, means[:, None] - means, atol=1e-12)
    np.testing.assert_allclose(found.effect, np.abs(means[:, None] - means) / sd, rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_topics_means_and_the_order_of_systems_do_not_matter(topics, systems, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (topics, systems)) / 4  # with ties
    usual = tukey_hsd(values, n_resamples=N_RESAMPLES)
    shifted = tukey_hsd(values + rng.integers(-24, 24, (topics, 1)) / 8, n_resamples=N_RESAMPLES)
    for one, other in zip(usual[:3], shifted[:3], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    order = rng.permutation(systems)
    moved = tukey_hsd(values[:, order], n_resamples=N_RESAMPLES)
    np.testing.assert_array_equal(moved.difference, usual.difference[np.ix_(order, order)])
    np.testing.assert_allclose(
        moved.p, usual.p[np.ix_(order, order)], atol=6 * np.sqrt(0.5 / N_RESAMPLES)
    )


def test_family_of_systems_that_do_not_differ():
    """In about 5% of experiments, even one pair of ten systems is called different."""
    rng = np.random.default_rng(5)
    wrong = [
        (tukey_hsd(rng.random((20, 10)), n_resamples=200, seed=n).p < 0.05).any()
        for n in range(300)
    ]
    assert 0.01 < np.mean(wrong) < 0.10


def test_seed_and_parts(monkeypatch):
    values = made_up(10, 5, seed=1)
    usual = tukey_hsd(values, n_resamples=500, seed=4)
    assert (usual.seed, usual.n_resamples, usual.reason) == (4, 500, "")
    monkeypatch.setattr("magnitudes.comparison.tukey.CHUNK_SIZE", 120)
    np.testing.assert_array_equal(tukey_hsd(values, n_resamples=500, seed=4).p, usual.p)
    assert (tukey_hsd(values, n_resamples=500, seed=5).p != usual.p).any()


def test_systems_that_are_all_alike():
    found = tukey_hsd(np.full((5, 3), 0.3))
    assert (found.p == 1).all()
    assert not found.difference.any()
    assert np.isnan(found.effect).all()
    assert "effects have no unit" in found.reason


def test_the_same_difference_on_all_topics_has_no_residual():
    found = tukey_hsd(np.arange(6)[:, None] / 10 + [0.0, 0.3], n_resamples=2000)
    assert found.p[0, 1] == pytest.approx(2 / 2**6, abs=0.02)
    assert np.isnan(found.effect).all()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[0.1, 0.2]], "one topic cannot show a difference"),
        (np.empty((0, 2)), "there is no topic"),
        ([[0.1], [0.2]], "a pair needs 2 systems, not 1"),
        ([[0.1, 0.2], [np.nan, 0.3]], "system 0 has no value on topic 1"),
    ],
)
def test_no_answer_has_a_reason(values, reason):
    found = tukey_hsd(values)
    assert found.reason == reason
    assert np.isnan(found.p).all()
    assert found.p.shape == (np.shape(values)[1],) * 2


@pytest.mark.parametrize(
    ("values", "trials", "said"),
    [
        ([[0.1, 0.2], [0.2, 0.3]], 0, "n_resamples must be at least 1, not 0"),
        ([0.1, 0.2], 10, r"\(topics, systems\), not \(2,\)"),
        ([[0.1, np.inf], [0.2, 0.3]], 10, "system 1 on topic 0 is infinite"),
    ],
)
def test_bad_input_is_named(values, trials, said):
    with pytest.raises(ComparisonError, match=said):
        tukey_hsd(values, trials)


def test_discrepancies_by_a_plain_loop():
    values = made_up(20, 8, seed=3, apart=0.15)
    one, other = tukey_hsd(values), tukey_hsd(-(values**2))
    expected = {
        (i, j) if one.difference[i, j] >= 0 else (j, i)
        for i in range(8)
        for j in range(i + 1, 8)
        if (one.p[i, j] < 0.05) != (other.p[i, j] < 0.05)
    }
    found = discrepancies(one, other)
    assert expected
    assert {tuple(pair) for pair in found.pairs.tolist()} == expected
    for n, (i, j) in enumerate(found.pairs.tolist()):
        assert found.p[n].tolist() == [one.p[i, j], other.p[i, j]]
        assert found.difference[n].tolist() == [one.difference[i, j], other.difference[i, j]]
        assert found.effect[n].tolist() == [one.effect[i, j], other.effect[i, j]]
    assert (found.difference[:, 0] > 0).all()
    assert (found.difference[:, 1] < 0).all()  # the second turned the order round


def test_discrepancies_of_what_was_not_tested():
    one = tukey_hsd(made_up(9, 3), n_resamples=10)
    nothing = discrepancies(one, tukey_hsd([[0.1, 0.2, 0.3]]))
    assert nothing.pairs.shape == (0, 2)
    assert nothing.reason == "one topic cannot show a difference"
    assert discrepancies(one, one).pairs.shape == (0, 2)
    with pytest.raises(ComparisonError, match="3 and 2 systems"):
        discrepancies(one, tukey_hsd(made_up(9, 2), n_resamples=10))


@pytest.mark.parametrize(("trials", "level"), [(1000, 0.05), (40, 0.05), (200, 0.3), (7, 0.5)])
def test_one_difference_decides_all_pairs(trials, level):
    values = made_up(12, 14, seed=9, apart=0.4)
    found = tukey_hsd(values, trials)
    apart = np.abs(found.difference) >= critical_difference(found, level)
    np.testing.assert_array_equal(apart, found.p < level)
    assert apart.any()
    assert not apart.all()


@pytest.mark.parametrize(("trials", "level"), [(1000, 0.05), (5000, 0.05), (200, 0.3), (7, 0.5)])
@pytest.mark.parametrize("scale", [1, 1000])
def test_the_critical_difference_is_the_smallest_whose_p_is_below_the_level(trials, level, scale):
    found = tukey_hsd(made_up(12, 14, seed=9, apart=0.4) * scale, trials)
    edge = critical_difference(found, level)

    def p(difference):
        reaching = np.count_nonzero(found.ranges >= difference - found.tolerance)
        return (1 + reaching) / (trials + 1)

    assert p(edge) < level <= p(edge - 3e-12 * scale)


def test_with_few_trials_no_difference_is_large_enough():
    found = tukey_hsd(made_up(12, 4, apart=3), n_resamples=19)
    assert found.p.min() == 1 / 20
    assert critical_difference(found) == np.inf
    assert np.isfinite(critical_difference(tukey_hsd(made_up(12, 4, apart=3), n_resamples=20)))


def test_without_p_no_difference_is_critical():
    assert np.isnan(critical_difference(tukey_hsd([[0.5, 0.4]])))
