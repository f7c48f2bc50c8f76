import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.scaling import ScalingError
from magnitudes.scaling.cutting import anchor_thresholds, cut

NAN = math.nan
SEEDS = st.integers(0, 2**32 - 1)
SCORES = st.floats(1e-6, 1e6)


@given(SEEDS)
def test_levels_are_the_thresholds_that_a_score_reaches(seed):
    rng = np.random.default_rng(seed)
    scores, topics = rng.choice([0.5, 1, 2, 3, 5, 10, NAN], 30), rng.integers(4, size=30)
    thresholds = np.sort(rng.choice([0.7, 1, 2.5, 3, 9], (4, 3)), axis=1)
    thresholds[3] = NAN
    found = cut(scores, thresholds, topics)
    for score, topic, level in zip(scores, topics, found, strict=True):
        reached = sum(score >= threshold for threshold in thresholds[topic])
        assert level == (-1 if topic == 3 or math.isnan(score) else reached)
    assert cut(scores, thresholds[0]).tolist() == cut(scores, thresholds[:1], [0] * 30).tolist()


@given(SCORES, SCORES, st.lists(SCORES, max_size=20), st.integers(2, 6))
def test_between_anchors_each_score_has_the_nearest_level(one, other, scores, n_levels):
    n_k, h_k = sorted((one, other))
    thresholds = anchor_thresholds([n_k], [h_k], n_levels)
    if h_k < n_k * 1.001:
        return
    levels = cut([n_k, h_k, *scores], thresholds[0])
    assert levels[:2].tolist() == [0, n_levels - 1]
    for score, level in zip(scores, levels[2:], strict=True):
        place = (n_levels - 1) * math.log(score / n_k) / math.log(h_k / n_k)
        assert abs(min(max(place, 0), n_levels - 1) - level) <= 0.5 + 1e-9


@given(st.integers(2, 5), st.floats(1e-3, 1e3))
def test_a_constant_factor_changes_no_level(n_levels, factor):
    scores = np.array([1, 1.5, 2.2, 7, 9, 30.0])
    once = cut(scores, anchor_thresholds([1], [10], n_levels)[0])
    again = cut(scores * factor, anchor_thresholds([factor], [10 * factor], n_levels)[0])
    assert once.tolist() == again.tolist()


def test_a_score_on_a_threshold_goes_up_whatever_its_last_digit():
    assert cut([0.3, 0.1 + 0.2], [0.1 + 0.2]).tolist() == [1, 1]
    assert cut([math.sqrt(2 * 32)], anchor_thresholds([2], [32], 2)[0]).tolist() == [1]


def test_a_topic_without_a_scale_has_no_levels():
    thresholds = anchor_thresholds([2, 3, NAN], [2, 1, 5], 3)
    assert np.isnan(thresholds).all()
    assert cut([2, 2, 2], thresholds, [0, 1, 2]).tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: cut([1, -1], [2]), "value -1.0 at place 1 is not a positive finite number"),
        (lambda: cut([1, math.inf], [2]), "value inf at place 1"),
        (lambda: cut([1], [3, 2]), "must ascend"),
        (lambda: cut([1], [0, 2]), "must be positive and finite"),
        (lambda: cut([1], [NAN, 2]), "must be positive and finite"),
        (lambda: cut([1], 2), "must have the shape"),
        (lambda: cut([1], [[2, 3]]), "need the topic of each score"),
        (lambda: cut([1], [[2, 3]], [1]), "topics must lie from 0 to 0"),
        (lambda: anchor_thresholds([1], [2], 1), "at least 2 levels, not 1"),
        (lambda: anchor_thresholds([1], [2, 3], 3), "must be lists of one length"),
        (lambda: anchor_thresholds([1, 0], [2, 3], 3), "n_k of topic 1, 0.0, is not positive"),
    ],
)
def test_what_cannot_be_cut_is_an_error(wrong, message):
    with pytest.raises(ScalingError, match=message):
        wrong()
