import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.opinions import Opinions
from magnitudes.comparison import ComparisonError
from magnitudes.comparison.judge_robustness import judge_robustness
from magnitudes.gains import GainError

NAN = float("nan")
SEEDS = st.integers(0, 2**32 - 1)


def pairs_of(seed, topics=4, n_levels=4):
    """Topic -> pairs of levels by the two judges, who agree more often than not."""
    rng = np.random.default_rng(seed)
    found = {}
    for topic in range(topics):
        one = rng.integers(n_levels, size=rng.integers(3, 9))
        other = np.where(rng.random(len(one)) < 0.5, one, rng.integers(n_levels, size=len(one)))
        found[topic] = list(zip(one.tolist(), other.tolist(), strict=True))
    return found


def opinions_of(pairs, n_levels=4):
    listed = [(topic, pair) for topic, of in pairs.items() for pair in of]
    levels = [level for _, pair in listed for level in pair]
    items = np.repeat(np.arange(len(listed)), 2)
    return Opinions(items, levels, [3, 5] * len(listed), n_levels, [topic for topic, _ in listed])


def by_loops(pairs, topic, users, n_levels=4):
    top = n_levels - 1
    both = [
        pair
        for other, of in pairs.items()
        if other != topic
        for one, two in of
        for pair in ((one, two), (two, one))
    ]
    beside = {i: [b == top for a, b in both if a == i] for i in range(n_levels)}
    p = [statistics.mean(beside[i]) if beside[i] else NAN for i in range(n_levels)]
    ranked = [one for one, _ in sorted(pairs[topic], key=lambda pair: -pair[1])]

    def dcg(gains, discount):
        return sum(gain * discount(rank) for rank, gain in enumerate(gains, 1))

    def ndcg(gains, discount):
        ideal = dcg(sorted(gains, reverse=True), discount)
        return dcg(gains, discount) / ideal if ideal else 0

    def gap(q):
        expected = sum(q)
        terms = [sum(min(q[k], q[j]) for j in range(k + 1)) / (k + 1) for k in range(len(q))]
        return sum(terms) / expected if expected else 0

    def log2(rank):
        return 1 / math.log2(rank + 1)

    def zipf(rank):
        return 1 / rank

    exponential = [2**level - 1 for level in ranked]
    found = {
        "AP": gap([float(level == top) for level in ranked]),
        "nDCG(exp, log2)": ndcg(exponential, log2),
        "nDCG(exp, zipf)": ndcg(exponential, zipf),
    }
    for n in users:
        weight = [0, *(1 - (1 - p[i]) ** (n - 1) for i in range(1, top)), 1]
        gains = [weight[level] for level in ranked]
        unknown = any(math.isnan(gain) for gain in gains)
        found[f"GAP(1/{n})"] = NAN if unknown else gap(gains)
        found[f"nDCG(1/{n}, log2)"] = NAN if unknown else ndcg(gains, log2)
        found[f"nDCG(1/{n}, zipf)"] = NAN if unknown else ndcg(gains, zipf)
    return p, found


@given(SEEDS)
def test_table_2_by_plain_loops(seed):
    pairs, users = pairs_of(seed), (2, 3, 4)
    found = judge_robustness(opinions_of(pairs), 3, 5, users)
    assert found.topics.tolist() == list(pairs)
    for topic in pairs:
        p, values = by_loops(pairs, topic, users)
        np.testing.assert_allclose(found.p[topic], p, rtol=1e-12)
        assert found.names == tuple(values)
        np.testing.assert_allclose(found.values[:, topic], list(values.values()), atol=1e-12)
    for values, mean, sd in zip(found.values, found.mean, found.sd, strict=True):
        known = values[~np.isnan(values)]
        assert mean == pytest.approx(known.mean() if len(known) else NAN, nan_ok=True)
        assert sd == pytest.approx(known.std(ddof=1) if len(known) > 1 else NAN, nan_ok=True)


@given(SEEDS)
def test_judges_who_agree_score_1(seed):
    pairs = {topic: [(one, one) for one, _ in of] for topic, of in pairs_of(seed).items()}
    pairs = {topic: [*of, (3, 3), (2, 2), (1, 1), (0, 0)] for topic, of in pairs.items()}
    np.testing.assert_allclose(judge_robustness(opinions_of(pairs), 3, 5).values, 1)


def test_topics_and_items_of_one_judge_are_left_out_and_first_labels_count():
    said = Opinions(
        [0, 0, 0, 1, 2, 2, 3, 4, 4],
        [2, 2, 0, 2, 1, 2, 2, -1, 2],
        [3, 5, 3, 3, 3, 5, 3, 3, 5],
        3,
        [7, 7, 8, 9, 9],
    )
    found = judge_robustness(said, 3, 5, [2])
    assert found.topics.tolist() == [7, 8]
    assert found.values[0].tolist() == [1, 0]


def test_a_level_that_no_other_topic_has_leaves_the_topic_out_of_the_mean():
    said = opinions_of({0: [(2, 3), (3, 2)], 1: [(3, 3), (1, 3)], 2: [(3, 1), (1, 3)]})
    found = judge_robustness(said, 3, 5)
    values = dict(zip(found.names, found.values, strict=True))
    assert np.isnan(values["GAP(1/2)"]).tolist() == [True, False, False]
    assert not np.isnan(values["AP"]).any()


@pytest.mark.parametrize("pairs", [{}, {4: [(1, 2)]}])
def test_leaving_one_out_needs_two_topics(pairs):
    with pytest.raises(ComparisonError, match=f"judges 3 and 5 both labelled, not {len(pairs)}"):
        judge_robustness(opinions_of(pairs), 3, 5)


def test_weights_need_a_user():
    with pytest.raises(GainError, match="N from 1"):
        judge_robustness(opinions_of(pairs_of(1)), 3, 5, [0])
