"""Lines of time on length: against matrices written out, and data of a known line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from magnitudes.reading_time.line import reading_lines, repeated
from magnitudes.reading_time.time_prediction import predicted
from magnitudes.scaling import ScalingError


def made(seed, views=400, workers=20, slope=0.018, intercept=7.8, sd=3.0, own=2.0):
    rng = np.random.default_rng(seed)
    who = rng.integers(0, workers, views)
    words = rng.integers(50, 2000, views)
    time = intercept + slope * words + rng.normal(0, own, workers)[who] + rng.normal(0, sd, views)
    return words, np.maximum(time, 0), who


def by_matrices(words, time, who):
    """(a, b) and their CR1 errors, straight from the formula."""
    x = np.stack([np.ones(len(words)), words], axis=1)
    inverse = np.linalg.inv(x.T @ x)
    b, a = inverse @ x.T @ time
    e = time - x @ [b, a]
    meat = np.zeros((2, 2))
    for worker in set(who.tolist()):
        score = x[who == worker].T @ e[who == worker]
        meat += np.outer(score, score)
    g, n = len(set(who.tolist())), len(words)
    variance = g / (g - 1) * (n - 1) / (n - 2) * inverse @ meat @ inverse
    r2 = 1 - (e @ e / (n - 2)) / np.var(time, ddof=1)
    return a, b, *np.sqrt(variance.diagonal()[::-1]), r2


@given(st.integers(0, 10_000), st.integers(3, 60), st.integers(2, 8))
def test_against_matrices(seed, views, workers):
    words, time, who = made(seed, views, workers)
    if len(set(words.tolist())) < 2 or len(set(who.tolist())) < 2:
        return
    found = reading_lines(words, time, who)
    line = (found.slope, found.intercept, found.slope_error, found.intercept_error, found.r2)
    expected = by_matrices(words.astype(float), time, who)
    # Of three views the residuals, and with them the errors, may be next to nothing.
    assert np.ravel(line) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_each_view_its_own_worker_and_scipy():
    words, time, _ = made(1)
    found = reading_lines(words, time, np.arange(len(words)))
    peer = stats.linregress(words, time)
    assert found.slope[0] == pytest.approx(peer.slope)
    assert found.intercept[0] == pytest.approx(peer.intercept)
    assert found.slope_error[0] == pytest.approx(peer.stderr, rel=0.15)
    sem = stats.sem(time)
    assert found.mean_error[0] == pytest.approx(sem)


def test_groups_are_each_as_alone():
    words, time, who = made(2)
    group = np.random.default_rng(0).integers(0, 3, len(words)) * 2
    together = reading_lines(words, time, who, group, 7)
    assert together.views[[1, 3, 5, 6]].tolist() == [0] * 4
    assert together.reasons[1] == "0 views: a line needs 3"
    assert np.isnan(together.mean[1])
    for one in (0, 2, 4):
        chosen = group == one
        alone = reading_lines(words[chosen], time[chosen], who[chosen])
        for column, expected in zip(together[:-1], alone[:-1], strict=True):
            assert column[one] == pytest.approx(expected[0], rel=1e-12)


def test_intervals_cover_the_truth_as_often_as_they_should():
    """Slopes of workers, too, differ: plain errors would be too small."""
    covered = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        who = np.repeat(np.arange(40), 10)
        words = rng.integers(50, 2000, 400)
        time = 60 + (0.018 + rng.normal(0, 0.01, 40)[who]) * words + rng.normal(0, 2, 400)
        found = reading_lines(words, time, who)
        covered += abs(found.slope[0] - 0.018) < 2.02 * found.slope_error[0]
    assert 0.90 < covered / 300 < 0.99


@pytest.mark.parametrize(
    ("words", "seconds", "workers", "reason", "known"),
    [
        ([1, 2], [3, 4], [1, 2], "2 views: a line needs 3", "mean"),
        ([5, 5, 5], [3, 4, 5], [1, 2, 3], "all documents have the same length", "mean"),
        ([1, 2, 3], [3, 4, 6], [1, 1, 1], "one worker alone: errors are not known", "slope"),
        ([1, 2, 3], [0.1, 0.1, 0.1], [1, 2, 3], "all times are the same: there is no R²", "slope"),
    ],
)
def test_what_is_not_defined_is_nan_with_a_reason(words, seconds, workers, reason, known):
    found = reading_lines(words, seconds, workers)
    assert found.reasons == (reason,)
    assert not np.isnan(getattr(found, known)[0])
    assert np.isnan(found.r2[0]) or "worker" in reason
    assert np.isnan(found.slope_error[0]) or "times" in reason


def test_no_view_at_all():
    found = reading_lines([], [], np.array([], dtype=int))
    assert found.reasons == ("0 views: a line needs 3",)
    assert np.isnan(found.mean[0])
    assert np.isnan(predicted([], [], np.array([], dtype=int), []).r2)


def test_views_that_come_again():
    assert repeated([1, 1, 1, 2], [7, 7, 7, 7]).tolist() == [False, True, True, False]


def test_prediction_of_units_left_out():
    words, time, who = made(3, sd=3, own=0)
    units = np.arange(len(words)) // 8
    found = predicted(words, time, who, units, seed=5)
    assert found == predicted(words, time, who, units, seed=5)
    assert found != predicted(words, time, who, units, seed=6)
    assert (found.views, found.unpredicted, found.folds, found.seed) == (400, 0, 10, 5)
    assert found.mean_error == pytest.approx(3 * np.sqrt(2 / np.pi), rel=0.15)
    assert found.median_error < found.mean_error
    assert found.r2 == pytest.approx(1 - 9 / np.var(time), abs=0.02)
    shuffled = np.random.default_rng(1).permutation(time)
    assert predicted(words, shuffled, who, units).r2 < 0.02


def test_prediction_by_lines_of_topics_of_their_own():
    words, time, who = made(4, own=0)
    topics = np.arange(400) % 2
    time = time + 0.03 * words * topics
    units = np.arange(400)
    by_topic = predicted(words, time, who, units, topics)
    assert by_topic.r2 > predicted(words, time, who, units).r2 + 0.1
    lonely = topics.copy()
    lonely[0] = 2
    assert predicted(words, time, who, units, lonely).unpredicted == 1
    alone = predicted(words, time, who, np.zeros(400))
    assert np.isnan(alone.mean_error)
    assert alone.reason.startswith("fewer than two units")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": [1, 2]}, "one number for each view"),
        ({"seconds": [1, 2, -1]}, "seconds of view 2 are -1"),
        ({"words": [1, np.nan, 3]}, "words of view 1 are nan"),
        ({"workers": [0.5, 1, 2]}, "workers must be whole"),
        ({"groups": [0, 1]}, "groups"),
        ({"groups": [0, 1, -1]}, "groups"),
        ({"groups": [0, 1, 2], "size": 2}, "group 2 is not one of 2"),
    ],
)
def test_bad_input(change, message):
    given = {"words": [1, 2, 3], "seconds": [1, 2, 4], "workers": [1, 2, 3]} | change
    with pytest.raises(ScalingError, match=message):
        reading_lines(**given)
    with pytest.raises(ScalingError, match="units"):
        predicted([1, 2], [1, 2], [1, 2], [1])
