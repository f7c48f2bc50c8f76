import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.by_rank.err import err

gains = st.one_of(st.integers(0, 4).map(float), st.floats(0, 300))
topics = st.lists(gains, min_size=1, max_size=25)


def exactly(ranked, largest, k=10):
    """The definition in fractions, for whole gains."""
    value, reads_on = Fraction(0), Fraction(1)
    for i, gain in enumerate(ranked[:k], start=1):
        satisfied = Fraction(2**gain - 1, 2**largest)
        value += reads_on * satisfied / i
        reads_on *= 1 - satisfied
    return float(value)


def by_hand(ranked, largest, k=10):
    value, reads_on = 0.0, 1.0
    for i, gain in enumerate(ranked[:k], start=1):
        satisfied = (2.0**gain - 1) / 2.0**largest
        value += reads_on * satisfied / i
        reads_on *= 1 - satisfied
    return value


def test_worked_by_hand():
    """Gains 2, 0, 1 of at most 2: 3/4 + 1/4 · 1/4 · 1/3."""
    assert err([2, 0, 1], [2, 1, 1]) == pytest.approx(37 / 48, rel=1e-15)


def test_a_binary_judgment_satisfies_with_an_even_chance():
    """Binary labels: R = 1/2, so that the first relevant document at rank r is worth 1/(2r)."""
    for rank in range(1, 11):
        assert err([0] * (rank - 1) + [1], [1, 1, 1]) == 1 / (2 * rank)


@given(st.lists(st.integers(0, 6000), min_size=1, max_size=20), st.integers(1, 25))
def test_whole_gains_give_the_exact_fraction(ranked, k):
    expected = exactly(ranked, max(ranked), k)
    assert float(err(ranked, ranked, k)) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@given(judged=topics, data=st.data())
def test_real_gains_give_the_definition(judged, data):
    ranked = data.draw(st.permutations(judged + [0.0] * 4))
    expected = by_hand(ranked, max(judged))
    assert float(err(ranked, judged)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(st.lists(st.floats(1e-12, 1e-9), min_size=1, max_size=10))
def test_tiny_gains_lose_no_digits(ranked):
    """Where all gains are tiny, R is G ln 2 and ERR the sum of R / i, both to first order."""
    expected = sum(gain * math.log(2) / i for i, gain in enumerate(ranked, start=1))
    assert float(err(ranked, ranked)) == pytest.approx(expected, rel=1e-7)


def test_gains_of_thousands():
    assert err([5000], [5000]) == 1
    assert err([4999, 5000], [5000]) == 0.75
    assert err([0, 5000], [5000, 4000]) == 0.5


@given(judged=topics)
def test_the_value_lies_from_zero_to_one(judged):
    assert 0 <= err(judged, judged) <= 1


@given(judged=st.lists(gains, min_size=2, max_size=10), data=st.data())
def test_a_better_document_moved_up_never_lowers_the_value(judged, data):
    upper, lower = sorted(data.draw(st.sets(st.integers(0, len(judged) - 1), min_size=2)))[:2]
    better = list(judged)
    if better[lower] > better[upper]:
        better[lower], better[upper] = better[upper], better[lower]
    assert err(better, judged) >= err(judged, judged) * (1 - 1e-12)


def test_a_constant_factor_does_change_the_value():
    assert err([1, 2], [1, 2]) != err([10, 20], [10, 20])


@given(judged=st.lists(st.floats(0.1, 50), min_size=1, max_size=12), factor=st.floats(0.01, 100))
def test_in_a_unit_of_its_own_a_constant_factor_changes_nothing(judged, factor):
    scaled = [gain * factor for gain in judged]
    one = float(err(judged, judged, unit=judged[0]))
    other = float(err(scaled, scaled, unit=scaled[0]))
    assert other == pytest.approx(one, rel=1e-9)


def test_a_given_maximum_with_and_without_a_unit():
    assert err([1], [1], largest=4) == 1 / 16
    assert err([2], [2], largest=4, unit=2) == 1 / 16
    with pytest.raises(GainError, match=r"gain 5\.0 is above the largest given"):
        err([1], [5, 1], largest=4)
    assert err([8], [8], largest=4, unit=2) == 15 / 16


def test_per_topic_numbers():
    ranked, judged = np.ones((3, 2, 1)), np.ones((2, 1))
    assert err(ranked, judged, largest=[1, 2]).tolist() == [[0.5, 0.25]] * 3
    assert err(ranked * 2, judged * 2, unit=[2, 1]).tolist() == [[0.5, 0.75]] * 3


@pytest.mark.parametrize("more", [{}, {"largest": 5000}, {"unit": 3.3}])
def test_many_rankings_at_once_are_each_alone_to_the_last_bit(more):
    rng = np.random.default_rng(3)
    judged = rng.lognormal(sigma=2, size=(7, 40)) * (rng.random((7, 40)) < 0.7)
    ranked = np.stack([rng.permuted(judged, axis=1)[:, :13] for _ in range(9)])
    together = err(ranked, judged, 10, **more)
    assert together.shape == (9, 7)
    for run in range(9):
        for topic in range(7):
            assert together[run, topic] == err(ranked[run, topic], judged[topic], 10, **more)
            assert together[run, topic] == err(ranked[run, topic, :10], judged[topic], None, **more)
    assert (err(np.asfortranarray(ranked), judged, 10, **more) == together).all()


def test_nothing_to_find_and_nothing_found():
    assert err([0, 0], [0, 0]) == 0
    assert err([0, 0], []) == 0
    assert err([], [1]) == 0
    assert err([], []) == 0
    assert err([0], [0], largest=4) == 0
    assert err(np.zeros((3, 0, 10)), np.zeros((0, 5))).shape == (3, 0)


def test_padding_makes_no_difference():
    assert err([3, 1, 2], [3, 2, 1]) == err([3, 1, 2, 0, 0, 0, 0], [3, 2, 1, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"unit": 0}, "unit 0 is not positive and finite"),
        ({"unit": [1, 2]}, r"unit has the shape \(2,\), and the topics have \(\)"),
        ({"unit": math.nan}, "unit nan"),
        ({"largest": math.inf}, "largest inf"),
        ({"largest": -1}, "largest -1"),
        ({"k": 0}, "cutoff 0"),
        ({"ranked": [math.nan]}, "ranked gain nan"),
        ({"judged": [-1.0]}, "judged gain -1.0"),
        ({"ranked": [101]}, "gain 101.0 is above the largest of all judged"),
    ],
)
def test_faults(arguments, message):
    with pytest.raises(GainError, match=message):
        err(**{"ranked": [100], "judged": [100], **arguments})
