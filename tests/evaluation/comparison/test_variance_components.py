"""Parts of the variance of paired differences: by hand, by properties, and on a known truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation.comparison import ComparisonError
from evaluation.comparison import variance_components as parts
from evaluation.comparison.halves import halves, single_scores, whole_judges
from evaluation.comparison.variance_components import Squares

NOTHING = np.zeros((2, 2, 2))


def test_a_table_by_hand() -> None:
    # Differences .1, .3, .5: mean .3, variance .04. Halves: .06² and .02² in the mean, scaled.
    values = np.array([[0.1, 0.0], [0.3, 0.0], [0.5, 0.0]])
    whole = np.array([[[0.006, 0], [0, 0.0]]] * 3)
    single = np.array([[[0.002, 0], [0, 0.0]]] * 3)
    found = parts.of_average_pair(Squares(values, whole, single))
    assert (found.topic, found.judge, found.rest) == pytest.approx((0.034, 0.004, 0.002))
    assert found.of_one_topic(2) == pytest.approx(0.034 + 0.003)
    assert parts.of_pairs(Squares(values, whole, single)).topic == pytest.approx([0.034])
    assert parts.half_width(found.of_one_topic(1), 3) == pytest.approx(4.3027 * 0.2 / 3**0.5, 1e-4)


def test_what_is_below_0_is_cut_and_told() -> None:
    noisy = np.array([[[1.0, 0], [0, 0]]] * 2)
    found = parts.of_average_pair(Squares(np.array([[0.1, 0], [0.2, 0]]), NOTHING, noisy))
    assert (found.topic, found.judge) == (0, 0)
    assert max(found.raw) < 0


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 5))
def test_the_average_pair_is_the_mean_of_pairs(seed: int, topics: int, systems: int) -> None:
    values = np.random.default_rng(seed).random((topics, systems))
    nothing = np.zeros((topics, systems, systems))
    found = parts.of_average_pair(Squares(values, nothing, nothing))
    of_pairs = parts.of_pairs(Squares(values, nothing, nothing))
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
    assert parts.told_apart(0.01, 12, 0.05) == pytest.approx(expected, abs=2e-3)
    assert parts.told_apart(0.01, 12, 0.0) == pytest.approx(0.05, abs=1e-6)


def test_halves_hold_whole_judges_and_half_of_each_document() -> None:
    rng = np.random.default_rng(3)
    judges, documents = np.repeat(np.arange(10), 4), np.tile(np.arange(4), 10)
    split = whole_judges(judges, documents, rng)
    assert {len(set(split[judges == judge])) for judge in range(10)} == {1}
    for some in (split, single_scores(documents, rng)):
        assert np.bincount(documents[some]).tolist() == [5] * 4
    again = halves(np.arange(40.0), documents, 5, [split])
    assert again.scale == pytest.approx(0.25)
    assert again.first[0, 0] == np.median(np.arange(40.0)[split & (documents == 0)])
    assert np.isnan(again.first[4]).all()
    with pytest.raises(ComparisonError, match="which half"):
        halves([1.0], np.array([0]), 1, [])


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
        row = [weights @ halves(scores, documents, DOCUMENTS, [who >= 0]).first[:, 0]]
        for splits in (
            [whole_judges(who, documents, rng) for _ in range(4)],
            [single_scores(documents, rng) for _ in range(4)],
        ):
            split = halves(scores, documents, DOCUMENTS, splits)
            delta = weights @ (split.first - split.second)
            row.append(split.scale * (delta @ delta.T) / 4)
        rows.append(row)
    return Squares(*map(np.stack, zip(*rows, strict=True)))


@pytest.mark.parametrize(("topics_times", "judges_times"), [(2, 1), (1, 2), (2, 2)])
def test_a_larger_study_is_as_sure_as_was_expected(topics_times: int, judges_times: int) -> None:
    rng = np.random.default_rng(5)
    small = parts.of_average_pair(simulated(rng, 40, 6))
    expected = parts.half_width(small.of_one_topic(judges_times), 40 * topics_times)
    larger = simulated(rng, 40 * topics_times, 6 * judges_times).values
    spread = np.cov(larger, rowvar=False)
    got = parts.half_width(2 * (np.trace(spread) - spread.sum() / 6) / 5, 40 * topics_times)
    assert expected == pytest.approx(got, rel=0.15)
