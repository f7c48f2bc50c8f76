import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.by_rank.ndcg import FORMS, discounts, ndcg

LINEAR = ["log2", "jk", "zipf"]
gains = st.one_of(st.integers(0, 4).map(float), st.floats(1e-3, 300))
topics = st.lists(gains, min_size=1, max_size=25)


def by_hand(ranked, judged, k, dcg):
    """The definition, one document after the other."""

    def dcg_of(listed):
        value = 0.0
        for i, gain in enumerate(listed[:k], start=1):
            worth = 2**gain - 1 if dcg.startswith("exp") else gain
            if dcg.endswith("zipf"):
                value += worth / i
            elif dcg == "jk":
                value += worth if i == 1 else worth / math.log2(i)
            else:
                value += worth / math.log2(i + 1)
        return value

    ideal = dcg_of(sorted(judged, reverse=True))
    return dcg_of(list(ranked)) / ideal if ideal else 0.0


def test_jarvelin_and_kekalainens_own_example():
    """The ranking that their article (2002) follows throughout, and its nDCG, base 2."""
    ranked = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    judged = [3] * 3 + [2] * 3 + [1] * 4 + [0] * 20
    printed = [1, 0.83, 0.87, 0.78, 0.71, 0.69, 0.73, 0.77, 0.83, 0.81]
    values = [float(ndcg(ranked, judged, k, "jk")) for k in range(1, 11)]
    assert values == pytest.approx(printed, abs=0.006)


def test_the_example_of_the_encyclopedia():
    """Wikipedia, 'Discounted cumulative gain': DCG_6 6.861, ideal 8.740, nDCG 0.785."""
    value = ndcg([3, 2, 3, 0, 1, 2], [3, 2, 3, 0, 1, 2, 3, 2], 6)
    assert value == pytest.approx(6.861 / 8.740, abs=1e-4)
    assert value == pytest.approx(0.785, abs=5e-4)


def test_the_example_of_scikit_learn():
    """`ndcg_score`: true relevance 10, 0, 0, 1, 5 in two orders of retrieval."""
    judged = [10, 0, 0, 1, 5]
    assert ndcg([5, 1, 0, 0, 10], judged) == pytest.approx(0.69, abs=0.006)
    assert ndcg([0, 0, 1, 10, 5], judged) == pytest.approx(0.49, abs=0.006)
    assert ndcg([0, 0, 1, 10, 5], judged, k=4) == pytest.approx(0.35, abs=0.006)


def test_the_second_rank_is_not_discounted_in_jk():
    assert ndcg([0, 1], [1], dcg="jk") == 1
    assert ndcg([0, 1], [1], dcg="log2") == pytest.approx(1 / math.log2(3))
    assert discounts(4, "jk") == pytest.approx([1, 1, 1 / math.log2(3), 1 / 2])


@pytest.mark.parametrize("dcg", FORMS)
@given(judged=topics, data=st.data(), k=st.one_of(st.none(), st.integers(1, 30)))
def test_every_form_is_its_definition(dcg, judged, data, k):
    ranked = data.draw(st.permutations(judged + [0.0] * 5))[: data.draw(st.integers(0, 30))]
    expected = by_hand(ranked, judged, k, dcg)
    assert float(ndcg(ranked, judged, k, dcg)) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("dcg", FORMS)
@given(judged=topics, k=st.one_of(st.none(), st.integers(1, 30)), padding=st.integers(0, 12))
def test_the_ideal_ranking_scores_exactly_one_and_nothing_more(dcg, judged, k, padding):
    best = sorted(judged, reverse=True)
    assert ndcg(best + [0] * padding, judged, k, dcg) == (1 if any(judged) else 0)
    assert ndcg(judged, best + [0] * padding, k, dcg) <= 1 + 1e-12


@pytest.mark.parametrize("dcg", LINEAR)
@given(judged=topics, factor=st.floats(1e-6, 1e6))
def test_a_constant_factor_changes_nothing(dcg, judged, factor):
    scaled = [gain * factor for gain in judged]
    value = float(ndcg(judged, judged, 10, dcg))
    assert float(ndcg(scaled, scaled, 10, dcg)) == pytest.approx(value, rel=1e-12)


def test_exponential_forms_do_change_with_a_constant_factor():
    assert ndcg([1, 2], [1, 2], dcg="exp-log2") != ndcg([10, 20], [10, 20], dcg="exp-log2")


@pytest.mark.parametrize("dcg", FORMS)
@given(judged=st.lists(gains, min_size=2, max_size=10), data=st.data())
def test_a_better_document_moved_up_never_lowers_the_value(dcg, judged, data):
    upper, lower = sorted(data.draw(st.sets(st.integers(0, len(judged) - 1), min_size=2)))[:2]
    better = list(judged)
    if better[lower] > better[upper]:
        better[lower], better[upper] = better[upper], better[lower]
    assert ndcg(better, judged, 10, dcg) >= ndcg(judged, judged, 10, dcg) * (1 - 1e-12)


@given(judged=topics, data=st.data())
def test_the_order_of_judgments_makes_no_difference(judged, data):
    other = data.draw(st.permutations(judged))
    assert ndcg(judged, judged) == ndcg(judged, other)


@pytest.mark.parametrize("dcg", FORMS)
@given(judged=topics, data=st.data(), padding=st.integers(1, 12))
def test_padding_makes_no_difference_to_the_last_bit(dcg, judged, data, padding):
    ranked = data.draw(st.permutations(judged))[:10]
    zeros = [0.0] * padding
    value = ndcg(ranked, judged, 20, dcg)
    assert ndcg(ranked + zeros, judged, 20, dcg) == value
    assert ndcg(ranked, judged + zeros, 20, dcg) == value


@pytest.mark.parametrize("dcg", FORMS)
def test_many_rankings_at_once_are_each_alone_to_the_last_bit(dcg):
    rng = np.random.default_rng(3)
    judged = rng.lognormal(sigma=2, size=(7, 40)) * (rng.random((7, 40)) < 0.7)
    ranked = np.stack([rng.permuted(judged, axis=1)[:, :13] for _ in range(9)])
    together = ndcg(ranked, judged, 10, dcg)
    assert together.shape == (9, 7)
    for run in range(9):
        for topic in range(7):
            assert together[run, topic] == ndcg(ranked[run, topic], judged[topic], 10, dcg)
    assert (ndcg(ranked[:, 0], judged[0], 10, dcg) == together[:, 0]).all()
    assert (ndcg(np.asfortranarray(ranked), judged, 10, dcg) == together).all()


def test_mean_ndcg_is_linear_in_gain_over_ideal():
    rng = np.random.default_rng(4)
    judged = rng.lognormal(size=(6, 30))
    ranked = np.stack([rng.permuted(judged, axis=1)[:, :10] for _ in range(5)])
    ideal = (-np.sort(-judged, axis=1)[:, :10]) @ discounts(10)
    shortcut = (ranked / ideal[:, None]).mean(axis=1) @ discounts(10)
    np.testing.assert_allclose(shortcut, ndcg(ranked, judged).mean(axis=1), rtol=1e-12)


def test_none_takes_the_whole_ranking_against_all_that_was_judged():
    judged = [1] * 20
    assert ndcg([1] * 20, judged, None) == 1
    assert ndcg([1] * 10, judged, 10) == 1
    assert ndcg([1] * 10, judged, None) < 1


@pytest.mark.parametrize("dcg", FORMS)
def test_nothing_to_find_and_nothing_found(dcg):
    assert ndcg([0, 0], [0, 0, 0], dcg=dcg) == 0
    assert ndcg([], [], dcg=dcg) == 0
    assert ndcg([], [1], dcg=dcg) == 0
    assert ndcg([0, 0], [], dcg=dcg) == 0
    assert ndcg(np.zeros((3, 0, 10)), np.zeros((0, 5)), dcg=dcg).shape == (3, 0)


@pytest.mark.parametrize("dcg", ["exp-log2", "exp-zipf"])
def test_gains_of_thousands_in_powers_of_two(dcg):
    assert ndcg([4999, 5000], [5000, 4999], 1, dcg) == 0.5
    assert ndcg([0, 5000], [5000], 2, dcg) == pytest.approx(discounts(2, dcg)[1])


@pytest.mark.parametrize("dcg", LINEAR)
@pytest.mark.parametrize("gain", [1e12, 1e-9])
def test_the_smallest_and_the_largest_gain(dcg, gain):
    assert ndcg([gain] * 10, [gain] * 10, 10, dcg) == 1
    assert ndcg([0, gain], [gain], 10, dcg) == pytest.approx(discounts(2, dcg)[1])


@pytest.mark.parametrize(
    ("ranked", "judged", "message"),
    [
        ([1, math.nan], [1], r"ranked gain nan at \(1,\)"),
        ([[1], [math.inf]], [1], r"ranked gain inf at \(1, 0\)"),
        ([1], [-1, 1], r"judged gain -1.0 at \(0,\)"),
        ([1], [math.nan], "judged gain nan"),
        (1, [1], "ranked is a single number"),
        ([1], 1, "judged is a single number"),
        (np.zeros((2, 3, 10)), np.zeros((4, 10)), "do not fit"),
        ([1, 3], [2, 1], "gain 3.0 is above the largest of all judged documents"),
        ([[[1], [3]]], [[1], [2]], "gain 3.0 is above"),
        ([1], [], "gain 1.0 is above"),
    ],
)
def test_gains_that_are_none(ranked, judged, message):
    with pytest.raises(GainError, match=message):
        ndcg(ranked, judged)


@pytest.mark.parametrize("k", [0, -1, 2.5, "10"])
def test_cutoffs_that_are_none(k):
    with pytest.raises(GainError, match="is not a rank from 1"):
        ndcg([1], [1], k)


def test_an_unknown_form():
    with pytest.raises(GainError, match="unknown form of DCG 'log10'; there are log2, jk"):
        ndcg([1], [1], dcg="log10")
    with pytest.raises(GainError, match="unknown form"):
        discounts(3, "log10")
