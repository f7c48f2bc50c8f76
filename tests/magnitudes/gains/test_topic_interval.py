"""Intervals over few topics hold what they say."""

import numpy as np
import pytest

from magnitudes.agreement.opinions import Opinions
from magnitudes.comparison.interval import t_interval
from magnitudes.gains.disagreement import Sums, sums
from magnitudes.gains.self_agreement import self_over_cross
from magnitudes.gains.topic_interval import (
    by_topic,
    disagreement_over_topics,
    share,
    student_ends,
)


def labels_of(rng: np.random.Generator, topics: int, documents: int) -> Opinions:
    """Two judges who label every document twice; topics differ in how often the second agrees."""
    agreeing = np.repeat(np.clip(rng.normal(0.6, 0.15, topics), 0, 1), documents)
    n = topics * documents
    same = rng.random((n, 2)) < agreeing[:, np.newaxis]
    levels = np.column_stack([np.full(n, 2), np.where(rng.random(n) < 0.9, 2, 1)])
    levels = np.column_stack([levels, np.where(same, 2, 1)])
    judges = np.tile([0, 0, 1, 1], n)
    return Opinions(
        np.repeat(np.arange(n), 4), levels.ravel(), judges, 3, np.arange(n) // documents
    )


def test_where_topics_weigh_alike_it_is_students_interval_of_a_mean() -> None:
    shares = np.random.default_rng(1).random((7, 2))
    mean, low, high = t_interval(shares, axis=0)
    found = share(4 * shares, np.full((7, 2), 4.0))
    np.testing.assert_allclose(found.value, mean)
    np.testing.assert_allclose(student_ends(*found), [low, high])


@pytest.mark.parametrize("topics", [5, 8, 12])
def test_a_chance_over_few_topics_is_covered(topics: int) -> None:
    """Shares of topics of different sizes, 800 times: at least 92.5 of 100 intervals hold it."""
    rng = np.random.default_rng(topics)
    covered = []
    for _ in range(800):
        sizes = rng.integers(20, 40, topics).astype(float)
        tops = rng.binomial(sizes.astype(int), np.clip(rng.normal(0.4, 0.12, topics), 0, 1))
        parts = Sums(tops[:, np.newaxis].astype(float), sizes[:, np.newaxis], sizes[:, np.newaxis])
        low, high = disagreement_over_topics(parts)
        covered.append(low[0] <= 0.4 <= high[0])
    assert np.mean(covered) >= 0.925


def test_a_level_on_one_topic_has_no_interval_and_none_leaves_0_to_1() -> None:
    parts = Sums(np.array([[1.0, 3], [0, 0]]), np.array([[4.0, 3], [4, 0]]), np.ones((2, 2)))
    low, high = disagreement_over_topics(parts)
    assert (low[0], high[0]) == (0, 1)
    assert np.isnan([low[1], high[1]]).all()


def test_the_gap_of_self_and_cross_has_students_interval_over_topics() -> None:
    said = labels_of(np.random.default_rng(3), 8, 30)
    found = self_over_cross(said, 100, 5, seed=1)
    assert found.over == "topics"
    assert found == self_over_cross(said, 100, 5, seed=2)  # nothing is drawn
    left_out = [
        self_over_cross(said.where(said.topic_of_item[said.items] != topic), 10, 5, seed=1).share
        for topic in range(8)
    ]
    jackknife = np.sqrt(7 / 8 * ((left_out - np.mean(left_out)) ** 2).sum())
    assert (found.high - found.low) / 2 == pytest.approx(2.3646 * jackknife, rel=0.05)
    assert self_over_cross(said, 100, 9, seed=1).over == "documents"


def test_sums_by_topic_are_those_of_its_items() -> None:
    said = labels_of(np.random.default_rng(4), 3, 5)
    parts = sums(said)
    totals = by_topic(parts, said)
    np.testing.assert_allclose(totals.top[1], parts.top[5:10].sum(axis=0))
    doubled = by_topic(parts, said, np.full(15, 2.0))
    np.testing.assert_allclose(doubled.shares, 2 * totals.shares)
