"""GAP: against equation (7) as it is printed, level by level, and in properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.by_pairs import gap as module
from magnitudes.measures.by_pairs.gap import gap
from magnitudes.measures.names import parse

level_lists = st.lists(st.integers(0, 4), min_size=1, max_size=25)
weights = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(lambda q: [0.0, *sorted(q)])


def by_hand(levels, q, counted):
    """Equation (7): `counted` are the levels of the documents in the denominator."""
    above = 0
    for k in range(1, len(levels) + 1):
        above += sum(q[min(levels[j], levels[k - 1])] for j in range(k)) / k
    whole = sum(counted.count(level) * q[level] for level in range(1, len(q)))
    return above / whole if whole else 0


@given(level_lists, weights, st.integers(1, 30), st.randoms())
def test_the_printed_equation(judged, q, k, random):
    levels = random.sample(judged + [0] * 5, len(judged))
    ranked, known = [q[i] for i in levels], [q[i] for i in judged]
    found = gap(ranked, known, k), gap(ranked, known, k, over="topic")
    listed = levels[:k]
    expected = [by_hand(listed, q, listed), by_hand(listed, q, judged)]
    assert [float(value) for value in found] == pytest.approx(expected, rel=1e-11)


@given(st.lists(st.floats(1e-3, 300), min_size=1, max_size=25), st.randoms())
def test_gains_that_are_all_different(judged, random):
    ranked = random.sample(judged + [0.0] * 5, len(judged))
    q = [0.0, *sorted(set(judged))]
    levels = [q.index(gain) for gain in ranked]
    expected = by_hand(levels, q, levels)
    assert float(gap(ranked, judged)) == pytest.approx(expected, rel=1e-11)


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 30))
def test_of_two_levels_it_is_average_precision_over_the_relevant_documents_there_are(hits, k):
    ranked = np.array(hits, dtype=float)
    in_list = ranked[:k].sum()
    precisions = np.cumsum(ranked[:k]) / np.arange(1, len(ranked[:k]) + 1)
    expected = (precisions * ranked[:k]).sum() / in_list if in_list else 0
    assert float(gap(ranked, ranked, k)) == pytest.approx(expected, rel=1e-12)
    of_topic = float(gap(ranked, ranked, k, over="topic"))
    assert of_topic == pytest.approx(float(parse("AP").evaluate(ranked[:k], ranked)), rel=1e-12)


@given(level_lists, weights, st.sampled_from(["list", "topic"]))
def test_readers_weigh_as_many_as_begin_at_each_level(levels, q, over):
    """GAP times the expected relevant documents: those of each reader times that reader's AP."""
    gains = [q[i] for i in levels]
    found = float(gap(gains, gains, over=over)) * sum(gains)
    strict = [[float(gain >= threshold) for gain in gains] for threshold in q[1:]]
    summed = [sum(hits) * float(parse("AP").evaluate(hits, hits)) for hits in strict]
    assert found == pytest.approx(float(np.diff(q) @ summed), rel=1e-11)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=25), st.integers(1, 25))
def test_a_perfect_list_scores_1_and_only_over_the_list_without_all_of_the_topic(judged, k):
    best = sorted(judged, reverse=True)
    assert gap(best, judged, k) == 1
    of_topic = gap(best, judged, k, over="topic")
    assert (of_topic == 1) if k >= len(judged) else (of_topic < 1)


@pytest.mark.parametrize("factor", [1e-9, 7.3, 1e12])
def test_a_constant_factor_changes_nothing(factor):
    judged, ranked = np.array([1, 0.3, 0.3, 0, 0.01]), np.array([0, 0.3, 0, 1, 0.01])
    value = float(gap(ranked, judged))
    assert 0 < value < 1
    assert float(gap(ranked * factor, judged * factor)) == pytest.approx(value)


@pytest.mark.parametrize("over", ["list", "topic"])
def test_many_rankings_at_once_are_each_alone_to_the_last_bit(over, monkeypatch):
    monkeypatch.setattr(module, "CHUNK_SIZE", 30)  # several parts
    rng = np.random.default_rng(2)
    judged = rng.integers(0, 3, (4, 12)) * rng.random((4, 12))
    ranked = np.stack([rng.permuted(judged, axis=1)[:, :9] for _ in range(5)])
    together = gap(ranked, judged, over=over)
    assert together.shape == (5, 4)
    for run in range(5):
        for topic in range(4):
            padded = np.append(ranked[run, topic], [0, 0, 0])
            assert gap(padded, judged[topic], over=over) == together[run, topic]


def test_nothing_to_find_and_nothing_found():
    for over in ("list", "topic"):
        assert gap([0, 0, 0], [0, 0], over=over) == 0
        assert gap([], [], over=over) == 0
        assert gap([], [1], over=over) == 0
        assert gap(np.zeros((3, 0, 10)), np.zeros((0, 5)), over=over).shape == (3, 0)


def test_chances_are_at_most_1_where_gains_are_chances():
    assert gap([0.5, 1], [1, 0.5], largest=1) == gap([0.5, 1], [1, 0.5])
    with pytest.raises(GainError, match=r"gain 2\.0 is above the largest given"):
        gap([1], [1, 2], largest=1)
    with pytest.raises(GainError, match="over 'run' must be one of list, topic"):
        gap([1], [1], over="run")
    with pytest.raises(GainError, match="ranked gain -1"):
        gap([-1], [1])
