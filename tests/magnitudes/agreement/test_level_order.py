import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from magnitudes.agreement.pairs import adjacent_level_tests, level_order
from magnitudes.scaling import ScalingError

nan = float("nan")


def crowd(seed, n=300):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, n)
    return rng.lognormal(0.3 * labels, 1), labels, rng.integers(0, 5, n)


@pytest.mark.parametrize("seed", range(5))
def test_the_test_is_scipys(seed):
    values, labels, _ = crowd(seed)
    found = adjacent_level_tests(values, labels, range(4))
    for low in range(3):
        expected = stats.ttest_ind(
            values[labels == low + 1], values[labels == low], equal_var=False
        )
        assert found.t[low] == pytest.approx(expected.statistic)
        assert found.p[low] == pytest.approx(expected.pvalue)
        assert found.degrees[low] == pytest.approx(expected.df)


def test_too_little_is_not_tested():
    t, p, _ = adjacent_level_tests([1, 2, 3, 5, 5, 5, 5], [0, 0, 1, 2, 2, 3, 3], range(4))
    assert np.isnan([t, p]).all()
    assert adjacent_level_tests([1, 2], [0, 0], [0]).p.size == 0
    assert np.isnan(adjacent_level_tests([], [], [0, 1]).p).all()


@given(st.integers(0, 1000))
def test_the_count_is_the_plain_one(seed):
    values, labels, topics = crowd(seed, 40)
    found = level_order(values, labels, range(4), topics, 5)
    out = {"adjacent": 0, "every": 0}
    compared = {"adjacent": 0, "every": 0}
    for topic in range(5):
        for low in range(4):
            for high in range(low + 1, 4):
                one, other = (values[(topics == topic) & (labels == c)] for c in (low, high))
                if not one.size or not other.size:
                    continue
                for kind in ("adjacent", "every") if high == low + 1 else ("every",):
                    compared[kind] += 1
                    out[kind] += np.median(one) > np.median(other)
    assert found.adjacent == (out["adjacent"], compared["adjacent"], 15)
    assert found.every == (out["every"], compared["every"], 30)


def test_the_papers_possible_cases():
    labels, topics = np.tile(np.arange(4), 18), np.repeat(np.arange(18), 4)
    sormunen = level_order(labels + 1, labels, range(4), topics, 18)
    binary = level_order(labels + 1, np.minimum(labels, 1), range(2), topics, 18)
    assert sormunen.adjacent.possible + binary.adjacent.possible == 72
    assert sormunen.every.possible + binary.every.possible == 126
    assert sormunen.every.out == binary.every.out == 0
    assert not sormunen.topics.size


def test_equal_medians_are_in_order_and_documents_without_a_label_do_not_count():
    order = level_order(
        [0.1 + 0.2, 0.3, 9, 1, nan], [0, 1, nan, 2, 0], range(3), np.array([1, 1, 1, 1, 1]), 2
    )
    assert (order.every.out, order.every.compared) == (0, 3)
    assert np.isnan(order.medians[0]).all()
    assert level_order([2, 1], [0, 1], [0, 1], [1, 1], 2).topics.tolist() == [1]


def test_topics_out_of_range_are_refused():
    with pytest.raises(ScalingError, match="topics must lie from 0 to 0"):
        level_order([1, 2], [0, 1], [0, 1], [0, 1], 1)
