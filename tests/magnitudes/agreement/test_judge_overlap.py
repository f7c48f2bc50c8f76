import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.opinions import Opinions
from magnitudes.agreement.overlap import level_overlap
from tests.magnitudes.gains.making import made_up

SEEDS = st.integers(0, 2**32 - 1)
NAN = float("nan")


@given(SEEDS)
def test_overlap_is_that_of_two_sets(seed):
    said = made_up(seed, items=20, judges=2, said=60, topics=4)
    found = level_overlap(said, 0, 1)
    one, other = said.of_judge(0), said.of_judge(1)
    both = [item for item in range(20) if one[item] >= 0 and other[item] >= 0]

    def overlap(items, level):
        a = {item for item in items if one[item] >= level}
        b = {item for item in items if other[item] >= level}
        return len(a & b) / len(a | b) if a | b else NAN

    for level in range(3):
        topics = [
            overlap([item for item in both if said.topic_of_item[item] == topic], level)
            for topic in range(said.topic_of_item.max() + 1)
        ]
        assert found.pooled[level] == pytest.approx(overlap(both, level), nan_ok=True)
        assert found.by_topic[:, level].tolist() == pytest.approx(topics, nan_ok=True)
        known = [value for value in topics if value == value]
        mean = np.mean(known) if known else NAN
        assert found.mean[level] == pytest.approx(mean, nan_ok=True)


@given(SEEDS)
def test_the_first_label_of_a_judge_counts(seed):
    said = made_up(seed)
    for item, level in enumerate(said.of_judge(2)):
        labels = said.levels[(said.items == item) & (said.judges == 2) & (said.levels >= 0)]
        assert level == (labels[0] if len(labels) else -1)


def test_judges_without_a_common_item_have_no_overlap():
    found = level_overlap(Opinions([0, 1], [1, 1], [0, 1], 2, [0, 0]), 0, 1)
    assert np.isnan(found.pooled).all()
    assert np.isnan(found.mean).all()
    assert np.isnan(level_overlap(Opinions([], [], [], 2, []), 0, 1).pooled).all()
