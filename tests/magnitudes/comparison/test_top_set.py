import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from magnitudes.comparison.top_set import overlap, top_set


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 20), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_it_is_the_test_of_the_best_against_each(topics, systems, seed):
    values = np.random.default_rng(seed).integers(0, 30, (topics, systems)) / 32
    found = top_set(values)
    assert found.reason == ""
    assert found.best == values.mean(axis=0).argmax()
    for system in range(systems):
        difference = values[:, found.best] - values[:, system]
        p = stats.wilcoxon(difference).pvalue if difference.any() else 1
        assert found.p[system] == pytest.approx(p, rel=1e-9)
        assert found.members[system] == (p >= 0.05)


def test_a_system_that_is_worse_everywhere_is_out_from_six_topics_on():
    for topics, member in ((5, True), (6, False)):
        better = np.linspace(0.5, 0.9, topics)
        values = np.stack([better, better - np.linspace(0.1, 0.2, topics)], axis=1)
        assert top_set(values).members.tolist() == [True, member]


def test_the_first_of_equals_is_the_best():
    column = [0.1, 0.2, 0.3]
    found = top_set(np.stack([[0, 0, 0], column, column[::-1]], axis=1))
    assert found.best == 1
    assert found.p[1] == 1


def test_one_topic_tells_nothing_apart():
    found = top_set([[0.9, 0.1]])
    assert found.members.tolist() == [True, True]
    assert found.best == 0
    assert np.isnan(found.p).all()
    assert found.reason == "one topic cannot show a difference"


def test_one_run_only():
    found = top_set([[0.4], [0.5]])
    assert (found.members.tolist(), found.p.tolist(), found.reason) == ([True], [1], "")


@pytest.mark.parametrize("shape", [(0, 3), (4, 0)])
def test_nothing_to_compare(shape):
    found = top_set(np.empty(shape))
    assert not found.members.any()
    assert found.members.shape == shape[1:]
    assert (found.best, found.reason) == (-1, "there is no value to compare")


def test_a_system_without_a_value_is_no_member():
    found = top_set([[math.nan, 0.5], [0.9, 0.4]])
    assert found.members.tolist() == [False, True]
    assert found.best == 1
    assert found.reason == "a system has no value on a topic"
    assert top_set([[math.nan], [math.nan]]).best == -1


def test_leading_axes_are_experiments_of_their_own():
    values = np.random.default_rng(3).random((4, 9, 6)).round(2)
    whole = top_set(values)
    for n, one in enumerate(values):
        alone = top_set(one)
        assert whole.best[n] == alone.best
        assert (whole.members[n] == alone.members).all()
        assert (whole.p[n] == alone.p).all()


def test_overlap_is_a_share_of_the_first():
    assert overlap([1, 1, 1, 0], [1, 0, 0, 1]) == pytest.approx(1 / 3)
    assert overlap([1, 0, 0, 1], [1, 1, 1, 0]) == 0.5
    assert math.isnan(overlap([0, 0], [1, 0]))
    assert overlap([[1, 0], [1, 1]], [[1, 1], [0, 0]]).tolist() == [1, 0]
