"""Parts of the variance of paired differences: by hand, by properties, and on a known truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from magnitudes.comparison import ComparisonError
from magnitudes.comparison import variance_components as parts
from magnitudes.comparison.halves import (
    deviations,
    median_variance,
    split_by_judge,
    split_by_score,
    within_documents,
)
from magnitudes.comparison.variance_components import Squares, without_error
from magnitudes.scaling.aggregation import aggregate

NOTHING = np.zeros((2, 2, 2))


def test_a_table_by_hand() -> None:
    # Differences .1, .3, .5: mean .3, variance .04; over crowds .006, over single scores .002.
    values = np.array([[0.1, 0.0], [0.3, 0.0], [0.5, 0.0]])
    whole = np.array([[[0.006, 0], [0, 0.0]]] * 3)
    single = np.array([[[0.002, 0], [0, 0.0]]] * 3)
    covariances = Squares(values, whole, single).covariances
    found = parts.of_average_pair(covariances)
    assert (found.topic, found.judge, found.rest) == pytest.approx((0.034, 0.004, 0.002))
    assert found.of_one_topic(2) == pytest.approx(0.034 + 0.003)
    assert parts.of_pairs(covariances).topic == pytest.approx([0.034])
    assert parts.half_width(found.of_one_topic(1), 3) == pytest.approx(4.3027 * 0.2 / 3**0.5, 1e-4)


def test_what_is_below_0_is_cut_and_told() -> None:
    noisy = np.array([[[1.0, 0], [0, 0]]] * 2)
    found = parts.of_average_pair(
        Squares(np.array([[0.1, 0], [0.2, 0]]), NOTHING, noisy).covariances
    )
    assert (found.topic, found.judge) == (0, 0)
    assert max(found.raw) < 0


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 5))
def test_the_average_pair_is_the_mean_of_pairs(seed: int, topics: int, systems: int) -> None:
    values = np.random.default_rng(seed).random((topics, systems))
    nothing = np.zeros((topics, systems, systems))
    covariances = Squares(values, nothing, nothing).covariances
    found, of_pairs = parts.of_average_pair(covariances), parts.of_pairs(covariances)
    assert found.topic == pytest.approx(of_pairs.topic.mean(), abs=1e-12)
    assert parts.half_width(found.of_one_topic(2), 9) <= parts.half_width(found.total, 9)


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ComparisonError, match="2 of each"):
        parts.checked(Squares(np.zeros((1, 2)), NOTHING[:1], NOTHING[:1]))
    with pytest.raises(ComparisonError, match="is not"):
        parts.checked(Squares(np.zeros((3, 2)), NOTHING, NOTHING))


def test_power_is_that_of_the_noncentral_t() -> None:
    edge, away = stats.t.ppf(0.975, 11), 0.05 / np.sqrt(0.01 / 12)
    expected = stats.nct.sf(edge, 11, away) + stats.nct.cdf(-edge, 11, away)
    assert parts.power(0.01, 12, 0.05) == pytest.approx(expected, abs=2e-3)
    assert parts.power(0.01, 12, 0.0) == pytest.approx(0.05, abs=1e-6)


def test_halves_hold_whole_judges_and_half_of_each_document() -> None:
    rng = np.random.default_rng(3)
    judges, documents = np.repeat(np.arange(10), 4), np.tile(np.arange(4), 10)
    split = split_by_judge(judges, documents, rng)
    assert {len(set(split[judges == judge])) for judge in range(10)} == {1}
    for some in (split, split_by_score(documents, rng)):
        assert np.bincount(documents[some]).tolist() == [5] * 4
    scores = np.arange(40.0)
    away = deviations(scores, documents, 5, [split], 1.0, rng)
    first, second = (np.median(scores[some & (documents == 0)]) for some in (split, ~split))
    assert away.shape == (5, 1)
    assert away[0, 0] == pytest.approx((first - second) * (0.1383 / 2 / 0.2868) ** 0.5, rel=0.01)
    with pytest.raises(ComparisonError, match="which half"):
        deviations([1.0], np.array([0]), 1, [], 1.0, rng)


def test_a_document_with_one_score_varies_as_scores_do_within_documents() -> None:
    rng = np.random.default_rng(8)
    documents = np.array([0, 1, 1, 1, 2, 2])
    scores = np.array([5.0, 1, 2, 3, 4, 8])
    spread = within_documents(scores, documents)
    assert (spread.squares, spread.freedom) == (2 + 8, 3)
    splits = [split_by_score(documents, rng) for _ in range(4000)]
    away = deviations(scores, documents, 3, splits, spread.variance, rng)
    assert away[0].var() == pytest.approx(10 / 3, rel=0.1)
    assert away[0].mean() == pytest.approx(0, abs=0.1)
    assert np.isnan(within_documents([1.0, 2.0], np.array([0, 1])).variance)


def test_scores_of_one_judge_alone_are_not_divided_by_judges_and_vary_all_the_same() -> None:
    documents, everything = np.array([0, 0, 0]), [np.ones(3, dtype=bool)] * 2000
    away = deviations([1.0, 2, 3], documents, 1, everything, 1.0, np.random.default_rng(2))
    assert away.var() == pytest.approx(0.4487, rel=0.1)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 9, 10, 25, 40])
def test_the_variance_of_a_median_is_that_of_drawn_ones(n: int) -> None:
    drawn = np.median(np.random.default_rng(n).normal(size=(100_000, n)), axis=1)
    assert median_variance(n) == pytest.approx(drawn.var(), rel=0.02)


SYSTEMS, DOCUMENTS = 6, 24
SDS = {"topic": 0.12, "judge": 0.25, "rest": 0.3}


def simulated(rng: np.random.Generator, topics: int, judges: int) -> Squares:
    """A study on a known truth: a system's value is a weighted sum of its documents' medians."""
    rows = []
    who = np.repeat(np.arange(judges), DOCUMENTS)
    documents = np.tile(np.arange(DOCUMENTS), judges)
    for _ in range(topics):
        weights = np.abs(rng.normal(0, 1, (SYSTEMS, DOCUMENTS)))
        weights /= weights.sum(axis=1, keepdims=True)
        slopes = rng.normal(0, SDS["judge"], (judges, DOCUMENTS // 4)).repeat(4, axis=1)
        scores = (slopes + rng.normal(0, SDS["rest"], (judges, DOCUMENTS))).ravel()
        scores += rng.normal(0.5, SDS["topic"] * 3, DOCUMENTS)[documents]
        gains = aggregate(scores, documents, DOCUMENTS).values
        spread = within_documents(scores, documents).variance
        row = [weights @ gains]
        for splits in (
            [split_by_judge(who, documents, rng) for _ in range(4)],
            [split_by_score(documents, rng) for _ in range(4)],
        ):
            away = deviations(scores, documents, DOCUMENTS, splits, spread, rng)
            row.append(without_error(weights.__matmul__, away))
        rows.append(row)
    return Squares(*map(np.stack, zip(*rows, strict=True)))


@pytest.mark.parametrize(("topics_times", "judges_times"), [(2, 1), (1, 2), (2, 2)])
def test_a_larger_study_is_as_sure_as_was_expected(topics_times: int, judges_times: int) -> None:
    rng = np.random.default_rng(5)
    small = parts.of_average_pair(simulated(rng, 40, 6).covariances)
    expected = parts.half_width(small.of_one_topic(judges_times), 40 * topics_times)
    larger = simulated(rng, 40 * topics_times, 6 * judges_times).values
    spread = np.cov(larger, rowvar=False)
    got = parts.half_width(2 * (np.trace(spread) - spread.sum() / 6) / 5, 40 * topics_times)
    assert expected == pytest.approx(got, rel=0.15)
