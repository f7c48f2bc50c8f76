import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.opinions import Opinions
from magnitudes.gains import GainError
from magnitudes.gains.disagreement import Disagreement, disagreement, pooled, reasons, sums
from magnitudes.gains.disagreement_bootstrap import bootstrap_disagreement
from magnitudes.gains.topic_interval import by_topic, disagreement_over_topics
from tests.magnitudes.gains.making import made_up, of_documents

SEEDS = st.integers(0, 2**32 - 1)


def by_loops(opinions):
    """p(T|i) and the labels it comes from, label by label."""
    top = opinions.n_levels - 1
    labels = [
        (item, judge, level)
        for item, judge, level in zip(opinions.items, opinions.judges, opinions.levels, strict=True)
        if level >= 0
    ]
    found, seen = [], []
    for i in range(opinions.n_levels):
        over = under = count = 0
        for item, judge, level in labels:
            others = [said for of, by, said in labels if of == item and by != judge]
            if level == i and others:
                share = 1 / sum(of == item for of, _, _ in labels)
                over += share * others.count(top) / len(others)
                under += share
                count += 1
        found.append(over / under if under else np.nan)
        seen.append(count)
    return found, seen


@given(SEEDS, st.integers(2, 5))
def test_p_is_what_plain_loops_count(seed, n_levels):
    said = made_up(seed, n_levels=n_levels)
    p, seen = by_loops(said)
    found = disagreement(said)
    np.testing.assert_allclose(found.p, p, rtol=1e-12)
    assert found.observations.tolist() == seen


@given(SEEDS)
def test_of_two_judges_it_is_the_share_of_pairs_in_both_directions(seed):
    pairs = np.random.default_rng(seed).integers(0, 3, (50, 2))
    both = np.concatenate([pairs, pairs[:, ::-1]])
    expected = [np.mean(both[both[:, 0] == level, 1] == 2) for level in range(3)]
    np.testing.assert_allclose(disagreement(of_documents(*pairs.tolist())).p, expected, rtol=1e-12)


@given(SEEDS)
def test_neither_the_order_of_labels_nor_who_is_which_judge_matters(seed):
    said, rng = made_up(seed), np.random.default_rng(seed)
    mixed = rng.permutation(len(said.items))
    renamed = rng.permutation(int(said.judges.max()) + 1)
    other = Opinions(
        said.items[mixed], said.levels[mixed], renamed[said.judges[mixed]], 3, said.topic_of_item
    )
    np.testing.assert_allclose(disagreement(other).p, disagreement(said).p, rtol=1e-12)


def test_a_document_weighs_the_same_with_ten_labels_as_with_two():
    few = of_documents([1, 2], [1, 0])
    many = of_documents([1] * 5 + [2] * 5, [1, 0])
    assert disagreement(few).p[1] == 0.5
    assert disagreement(many).p[1] == pytest.approx((0.5 * 5 / 9 + 0) / (0.5 + 0.5))


def test_a_judge_is_not_held_against_themself():
    said = Opinions([0, 0, 0, 1, 1], [2, 2, 0, 2, 2], [0, 0, 1, 0, 0], 3, [0, 0])
    found = disagreement(said)
    assert found.p.tolist() == pytest.approx([1, np.nan, 0], nan_ok=True)
    assert found.observations.tolist() == [1, 0, 2]


def test_a_top_level_that_nobody_gives_has_no_p_and_others_have_0():
    found = disagreement(of_documents([0, 1], [1, 1]))
    assert found.p.tolist() == pytest.approx([0, 0, np.nan], nan_ok=True)
    assert reasons(found)[2] == "level 2: no document with two judges has it"


def test_levels_out_of_order_are_said():
    found = Disagreement(np.array([0.3, 0.3, 0.2, 0.25]), np.ones(4, dtype=np.int64))
    assert reasons(found) == ["", "", "level 2: below p of level 1", "level 3: below p of level 1"]


@given(SEEDS)
def test_groups_are_as_if_there_were_no_other_items(seed):
    said = made_up(seed)
    groups = np.random.default_rng(seed).random((4, said.n_items)) < 0.7
    found = pooled(sums(said), groups)
    for group, p, observations in zip(groups, *found, strict=True):
        expected = by_loops(said.where(group[said.items]))
        np.testing.assert_allclose(p, expected[0], rtol=1e-12)
        assert observations.tolist() == expected[1]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (Opinions([0, 0], [1, 2], [3, 3], 3, [0]), "all labels are of judge 3"),
        (Opinions([0, 1], [1, 2], [0, 1], 3, [0, 0]), "labels of two judges, among 2 labels"),
        (Opinions([0, 0], [1, -1], [0, 1], 3, [0]), "all labels are of judge 0"),
        (Opinions([], [], [], 3, [0]), "labels of two judges, among 0 labels"),
    ],
)
def test_without_two_judges_there_is_no_disagreement(said, message):
    with pytest.raises(GainError, match=message):
        disagreement(said)


@given(SEEDS)
def test_a_bootstrap_draws_documents_with_all_their_labels(seed):
    documents = np.random.default_rng(seed).integers(0, 3, (6, 2)).tolist()
    found = bootstrap_disagreement(of_documents(*documents), resamples=5, seed=seed)
    rng = np.random.default_rng(seed)
    for p in found.draws:
        drawn = [documents[place] for place in rng.integers(6, size=6)]
        np.testing.assert_allclose(p, disagreement(of_documents(*drawn)).p, rtol=1e-12)
    assert found.seed == seed


def test_the_interval_is_as_wide_as_a_binomial_says():
    rng = np.random.default_rng(1)
    documents = [[1, int(top)] for top in np.where(rng.random(2000) < 0.3, 2, 0)]
    found = bootstrap_disagreement(of_documents(*documents), seed=1)
    p = disagreement(of_documents(*documents)).p[1]
    half = 1.96 * np.sqrt(p * (1 - p) / 2000)
    assert found.low[1] == pytest.approx(p - half, abs=0.003)
    assert found.high[1] == pytest.approx(p + half, abs=0.003)


def test_over_topics_that_differ_the_interval_is_wider():
    apart = np.where(np.arange(400) < 200, 2, 0)
    said = Opinions(
        np.repeat(np.arange(400), 2),
        np.column_stack([np.ones(400, dtype=int), apart]).ravel(),
        [0, 1] * 400,
        3,
        np.arange(400) // 100,
    )
    documents = bootstrap_disagreement(said, seed=1)
    low, high = disagreement_over_topics(by_topic(sums(said), said))
    assert high[1] - low[1] > 3 * (documents.high[1] - documents.low[1])


def test_a_level_without_a_draw_has_no_interval():
    found = bootstrap_disagreement(of_documents([0, 2], [0, 0]), resamples=10, seed=1)
    assert np.isnan(found.low[1])
    assert found.low[0] <= found.high[0]


def test_a_bootstrap_of_nothing_is_an_error():
    with pytest.raises(GainError):
        bootstrap_disagreement(of_documents([0, 2]), resamples=0, seed=1)
