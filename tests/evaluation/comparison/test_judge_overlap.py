import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.comparison import ComparisonError
from evaluation.comparison.disagreement_groups import by_group, high_quality
from evaluation.comparison.judge_overlap import level_overlap
from evaluation.gains import GainError
from evaluation.gains.disagreement import disagreement
from evaluation.gains.opinions import Opinions
from tests.evaluation.gains.making import made_up

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


@given(SEEDS)
def test_a_group_is_as_if_there_were_nothing_else(seed):
    said = made_up(seed, items=30, said=150)
    kind = np.random.default_rng(seed).integers(2, size=3)[said.topic_of_item]
    groups = np.array([kind == 0, kind == 1, np.ones(30, dtype=bool)])
    found = by_group(said, groups)
    for group, p, observations in zip(groups, *found, strict=True):
        if group.any():
            alone = disagreement(said.where(group[said.items]))
            np.testing.assert_allclose(p, alone.p, rtol=1e-12)
            assert observations.tolist() == alone.observations.tolist()
        else:
            assert np.isnan(p).all()


@given(SEEDS)
def test_a_list_is_of_high_quality_if_any_judge_finds_the_best_in_it(seed):
    said = made_up(seed, items=30)
    lists = np.random.default_rng(seed).integers(8, size=30)
    for item, good in enumerate(high_quality(said, lists)):
        inside = lists[said.items] == lists[item]
        assert good == (said.levels[inside] == 2).any()


@pytest.mark.parametrize(
    "groups", [np.ones((2, 3)), np.ones(4, dtype=bool), np.ones((2, 5), dtype=bool)]
)
def test_groups_must_be_masks_of_items(groups):
    with pytest.raises(ComparisonError, match="groups must be True or False"):
        by_group(made_up(1, items=4), groups)


def test_every_item_must_be_in_a_list():
    with pytest.raises(GainError, match="lists must be one list of 4"):
        high_quality(made_up(1, items=4), [0, 1])
