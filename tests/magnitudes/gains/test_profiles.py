import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.gains.profiles import level_ratios, profile

NAN = math.nan
SEEDS = st.integers(0, 2**32 - 1)


def made_up(seed, top=3, units=20, size=8):
    rng = np.random.default_rng(seed)
    scores = rng.choice([1, 2, 3, 5, 10, 50, 100, 0.1, 0.3], (units, size))
    labels = rng.integers(-1, top + 1, (units, size)).astype(float)
    labels[rng.random((units, size)) < 0.2] = NAN
    return scores, labels, rng.integers(0, size, units)


@given(SEEDS, st.integers(1, 4))
def test_magnitudes_are_multiples_of_n_k(seed, top):
    scores, labels, n_k = made_up(seed, top)
    found = profile(scores, labels, n_k, top)
    assert found.linear.tolist() == [level + 1 for level in range(top + 1)]
    assert found.exponential.tolist() == [2 ** (level + 1) for level in range(top + 1)]
    magnitudes = scores / scores[np.arange(len(scores)), n_k][:, np.newaxis]
    for level in range(top + 1):
        mine = magnitudes[np.maximum(labels, 0) == level]
        assert found.boxes.counts[level] == len(mine)
        assert found.above[level] == (mine > 20.000001).sum()
        expected = np.median(mine) if len(mine) else NAN
        assert found.boxes.median[level] == pytest.approx(expected, rel=1e-11, nan_ok=True)


def ratios_of(scores, labels, upper, lower, only_with_1):
    found = []
    for row, levels in zip(scores.tolist(), labels.tolist(), strict=True):
        if only_with_1 and 1 not in levels:
            continue
        pairs = list(zip(row, levels, strict=True))
        found += [a / b for (a, x), (b, y) in product(pairs, pairs) if x in upper and y in lower]
    return found


@pytest.mark.parametrize(
    ("top", "names", "uppers", "lowers"),
    [
        (2, ("2/1", "2/1", "2/1"), [{2}, {2}, {2}], [{1}, {1}, {1}]),
        (3, ("3/2", "3/1-2", "2-3/1"), [{3}, {3}, {2, 3}], [{2}, {1, 2}, {1}]),
        (4, ("4/3", "4/1-3", "3-4/1"), [{4}, {4}, {3, 4}], [{3}, {1, 2, 3}, {1}]),
    ],
)
@given(seed=SEEDS)
def test_ratios_are_those_of_all_pairs_of_a_unit(top, names, uppers, lowers, seed):
    scores, labels, _ = made_up(seed, top)
    found = level_ratios(scores, labels, top)
    assert found.names == names
    for box in range(3):
        mine = ratios_of(scores, labels, uppers[box], lowers[box], only_with_1=box > 0)
        assert found.boxes.counts[box] == len(mine)
        if mine:
            assert found.boxes.median[box] == pytest.approx(np.median(mine), rel=1e-11)
            assert found.boxes.mean[box] == pytest.approx(np.mean(mine), rel=1e-11)
            assert found.above[box] == (np.array(mine) > 3.500001).sum()


@given(SEEDS)
def test_a_workers_scale_makes_no_difference(seed):
    scores, labels, n_k = made_up(seed)
    scaled = scores * np.random.default_rng(seed).lognormal(0, 3, (len(scores), 1))
    for one, other in (
        (profile(scores, labels, n_k, 3), profile(scaled, labels, n_k, 3)),
        (level_ratios(scores, labels, 3), level_ratios(scaled, labels, 3)),
    ):
        np.testing.assert_allclose(one.boxes.median, other.boxes.median, rtol=1e-10)
        assert (one.boxes.counts == other.boxes.counts).all()


def test_a_single_unit():
    scores, labels = [[9, 6, 3, 1]], [[3, 2, 1, 0]]
    assert profile(scores, labels, [3]).boxes.median.tolist() == [1, 3, 6, 9]
    found = level_ratios(scores, labels)
    assert found.boxes.counts.tolist() == [1, 2, 2]
    assert found.boxes.median.tolist() == [1.5, 2.25, 2.5]


def test_a_level_that_nobody_used():
    found = profile([[4, 1]], [[3, 0]], [1])
    assert found.boxes.counts.tolist() == [1, 0, 0, 1]
    assert np.isnan(found.boxes.median[[1, 2]]).all()
    ratios = level_ratios([[4, 1]], [[3, 0]])
    assert ratios.reason == "no unit has documents of two relevant levels"
    assert np.isnan(ratios.boxes.median).all()


def test_a_binary_scale_has_no_ratios():
    found = level_ratios([[4, 1]], [[1, 0]])
    assert found.reason == "levels up to 1 have no two that are relevant"
    assert np.isnan(found.boxes.mean).all()
    assert found.boxes.counts.tolist() == [0, 0, 0]


@pytest.mark.parametrize(("scores", "labels"), [(np.empty((0, 8)),) * 2, ([[2.0]], [[NAN]])])
def test_nothing_labelled(scores, labels):
    found = profile(scores, labels, np.zeros(len(scores), dtype=int), top=3)
    assert found.boxes.counts.tolist() == [0] * 4
    assert level_ratios(scores, labels, top=3).boxes.counts.tolist() == [0] * 3


def test_all_scores_equal():
    found = level_ratios([[5, 5, 5]] * 4, [[3, 2, 1]] * 4)
    assert found.boxes.median.tolist() == found.boxes.mean.tolist() == [1, 1, 1]
    assert found.boxes.outliers.tolist() == [0, 0, 0]


def test_quotients_that_differ_in_the_last_digit_are_the_same():
    assert 0.3 / 0.1 != 3
    found = profile([[0.3, 0.1]] * 3 + [[3, 1]] * 9, [[1, 0]] * 12, [1] * 12)
    assert found.boxes.outliers.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("scores", "labels", "n_k", "message"),
    [
        ([[1, 2]], [[0]], [0], "must both be"),
        ([1, 2], [0, 1], [0], "must both be"),
        ([[0, 2]], [[0, 1]], [0], "score 0.0 of unit 0, column 0"),
        ([[1, math.inf]], [[0, 1]], [0], "not a positive finite number"),
        ([[1, 2]], [[0, 1.5]], [0], "whole numbers"),
        ([[1, 2]], [[0, math.inf]], [0], "not a finite number"),
        ([[1, 2]], [[0, 4]], [0], "up to 3"),
        ([[1, 2]], [[0, 1]], [2], "n_k must lie from 0 to 1"),
        ([[1, 2]], [[0, 1]], [0, 0], "one column for each of 1 units"),
    ],
)
def test_bad_input(scores, labels, n_k, message):
    with pytest.raises(GainError, match=message):
        profile(scores, labels, n_k, top=3)
