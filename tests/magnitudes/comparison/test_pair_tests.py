"""The three tests of single pairs of systems."""

from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.bootstrap import bootstrap
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.random_signs import random_signs
from magnitudes.comparison.tukey import tukey_hsd
from magnitudes.scaling.groups import Resamples

ALL = [paired_t, random_signs, bootstrap]
DRAWN = [random_signs, bootstrap]


def made_up(topics, systems, seed=0, apart=0.1):
    rng = np.random.default_rng(seed)
    hard = rng.normal(0.5, 0.2, (topics, 1))
    return hard + np.linspace(0, apart, systems) + rng.normal(0, 0.1, (topics, systems))


def pairwise(values, p_of):
    """p of all pairs, by a loop over them."""
    systems = values.shape[1]
    p = np.eye(systems)
    for i, j in combinations(range(systems), 2):
        p[i, j] = p[j, i] = p_of(values[:, i], values[:, j])
    return p


def scipys_signs(one, other, **options):
    return stats.permutation_test(
        (one, other),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        **options,
    ).pvalue


def statistic(sample):
    """Size of Student's t; infinite for equal numbers, also where they are 0."""
    error = np.std(sample, ddof=1) / np.sqrt(len(sample))
    return abs(np.mean(sample)) / error if np.ptp(sample) else np.inf


def bootstrap_by_loop(one, other, turns, seed):
    """Sakai's algorithm, a turn at a time, with the draws of the product."""
    z = one - other
    observed, w = statistic(z), z - z.mean()
    counts = np.concatenate([part for _, part in Resamples(len(z), turns, seed).chunks(1)])
    drawn = [statistic(np.repeat(w, count.astype(int))) for count in counts]
    reaching = np.count_nonzero(np.array(drawn) >= observed * (1 - 1e-9) - 1e-9)
    return (reaching + 1) / (turns + 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_student_is_scipys(topics, systems, seed):
    values = made_up(topics, systems, seed)
    expected = pairwise(values, lambda a, b: stats.ttest_rel(a, b).pvalue)
    np.testing.assert_allclose(paired_t(values).p, expected, rtol=1e-7, atol=1e-11)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.integers(2, 4), st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 12]))
def test_few_topics_are_tested_exactly(topics, systems, seed, digits):
    values = made_up(topics, systems, seed).round(digits)

    def all_signs(a, b):
        means = [np.mean(signs * (a - b)) for signs in product((-1, 1), repeat=len(a))]
        return np.mean(np.abs(means) >= abs(np.mean(a - b)) - 1e-12)

    found = random_signs(values)
    assert found.seed is None
    np.testing.assert_allclose(found.p, pairwise(values, all_signs), rtol=1e-12)


def test_exact_where_all_ways_are_no_more_than_the_turns():
    values = made_up(8, 2)
    assert random_signs(values, n_resamples=128, seed=3).seed is None
    assert random_signs(values, n_resamples=127, seed=3).seed == 3


def test_scipy_sets_signs_to_the_same_p():
    values = made_up(8, 3, seed=4)
    exact = pairwise(values, partial(scipys_signs, n_resamples=np.inf))
    np.testing.assert_allclose(random_signs(values).p, exact, rtol=1e-12)
    values = made_up(30, 4, seed=5, apart=0.08)
    peer = pairwise(values, partial(scipys_signs, n_resamples=9999, rng=1))
    np.testing.assert_allclose(random_signs(values, n_resamples=10_000).p, peer, atol=0.03)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 12), st.integers(2, 4), st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 12])
)
def test_bootstrap_is_what_a_loop_gives(topics, systems, seed, digits):
    values = made_up(topics, systems, seed).round(digits)
    found = bootstrap(values, n_resamples=60, seed=seed).p
    for i, j in combinations(range(systems), 2):
        z = np.round(values[:, i] - values[:, j], 12)
        if np.ptp(z):
            expected = bootstrap_by_loop(z, np.zeros(topics), 60, seed)
            assert found[i, j] == pytest.approx(expected, abs=1e-12)


def test_bootstrap_is_near_student_for_normal_differences():
    values = made_up(60, 4, seed=8, apart=0.06)
    np.testing.assert_allclose(
        bootstrap(values, n_resamples=20_000).p, paired_t(values).p, atol=0.02
    )


@pytest.mark.parametrize("test", ALL)
def test_of_systems_that_do_not_differ_one_pair_in_twenty_is_found(test):
    p = test(np.random.default_rng(1).normal(size=(40, 60))).p
    assert 0.03 < (p[np.triu_indices(60, 1)] < 0.05).mean() < 0.07


@pytest.mark.parametrize("test", ALL)
@settings(max_examples=20, deadline=None)
@given(st.integers(2, 15), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_order_of_systems_topics_means_and_direction_do_not_matter(test, topics, systems, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (topics, systems)) / 4  # with ties
    usual = test(values).p
    order = rng.permutation(systems)
    np.testing.assert_array_equal(test(values[:, order]).p, usual[np.ix_(order, order)])
    np.testing.assert_array_equal(test(-values).p, usual)
    np.testing.assert_allclose(test(values + rng.integers(-3, 3, (topics, 1))).p, usual, atol=1e-9)
    np.testing.assert_array_equal(usual, usual.T)


@pytest.mark.parametrize("test", ALL)
def test_no_difference(test):
    """0.1 + 0.2 is 0.3 to 12 digits."""
    values = made_up(12, 3)
    values[:, 2] = values[:, 0] + 0.1 + 0.2 - 0.3
    assert test(values).p[0, 2] == 1


def test_the_same_difference_on_all_topics():
    values = np.arange(5)[:, np.newaxis] / 10 + np.array([0.1, 0.4, 0.1])
    assert paired_t(values).p[0].tolist() == [1, 0, 1]
    assert random_signs(values).p[0].tolist() == [1, 2 / 2**5, 1]
    found = bootstrap(values)
    np.testing.assert_array_equal(found.p[0], [1, np.nan, 1])
    assert found.reason == "pairs that differ by the same on all topics cannot be tested"


@pytest.mark.parametrize("test", ALL)
def test_nan_is_only_its_systems(test):
    values = made_up(12, 4)
    whole = test(values).p
    values[3, 1] = np.nan
    found = test(values)
    assert found.reason == "system 1 has no value on topic 3"
    assert np.isnan(found.p[1]).all()
    kept = np.ix_([0, 2, 3], [0, 2, 3])
    np.testing.assert_array_equal(found.p[kept], whole[kept])


@pytest.mark.parametrize("test", ALL)
@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[0.1, 0.2]], "one topic cannot show a difference"),
        (np.empty((0, 2)), "there is no topic"),
        ([[0.1], [0.2]], "a pair needs 2 systems, not 1"),
    ],
)
def test_no_answer_has_a_reason(test, values, reason):
    found = test(values)
    assert found.reason == reason
    assert np.isnan(found.p).all()


@pytest.mark.parametrize("test", ALL)
def test_values_that_are_no_table(test):
    for values, said in (
        (0.5, "not ()"),
        ([0.1, 0.2], "not (2,)"),
        ([[np.inf, 1]] * 2, "infinite"),
    ):
        with pytest.raises(ComparisonError) as caught:
            test(values)
        assert said in str(caught.value)


@pytest.mark.parametrize("test", DRAWN)
def test_turns_seed_and_parts(test, monkeypatch):
    values = made_up(20, 5, seed=1)
    with pytest.raises(ComparisonError, match="n_resamples must be at least 1, not 0"):
        test(values, n_resamples=0)
    usual = test(values, n_resamples=200, seed=7)
    assert usual.seed == 7
    assert (test(values, n_resamples=200, seed=8).p != usual.p).any()
    for module in ("random_signs",):
        monkeypatch.setattr(f"magnitudes.comparison.{module}.CHUNK_SIZE", 90)
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 2**15)
    np.testing.assert_array_equal(test(values, n_resamples=200, seed=7).p, usual.p)


@pytest.mark.parametrize("test", [*DRAWN, tukey_hsd])
def test_a_p_of_draws_counts_what_was_observed_and_is_never_0(test):
    """However far systems lie apart; and where all arrangements are tried p is their share."""
    values = made_up(20, 3, apart=50)
    assert test(values, 99).p[np.triu_indices(3, 1)].tolist() == [1 / 100] * 3
    assert random_signs(values[:5]).p[0, 1] == 2 / 2**5


@pytest.mark.parametrize("test", ALL)
def test_size_of_values_does_not_matter(test):
    values = made_up(15, 4)
    np.testing.assert_allclose(test(values * 1e6).p, test(values).p, atol=1e-6)
