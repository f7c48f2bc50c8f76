"""AP, P, R, Rprec, Success, RR and RBP: against their definitions, and in properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.names import parse

gains = st.one_of(st.integers(0, 4).map(float), st.floats(1e-3, 300))
topics = st.lists(gains, min_size=1, max_size=25)
NAMES = [
    *("AP", "AP@7", "P@7", "R@7", "Rprec", "Success@7", "RR", "RR@7", "RBP", "RBP@7"),
]


def is_relevant(gain, rel):
    return gain > 0 if rel is None else gain >= rel


def by_hand(name, ranked, judged, k, rel=None, p=0.8):
    hits = [is_relevant(gain, rel) for gain in ranked[:k]]
    if name == "P":
        return sum(hits) / k
    if name == "RR":
        return next((1 / i for i, hit in enumerate(hits, 1) if hit), 0)
    if name == "RBP":
        worth = hits if rel else [gain / (max(judged) or 1) for gain in ranked[:k]]
        return (1 - p) * sum(r * p**i for i, r in enumerate(worth))
    if name == "Success":
        return float(any(hits))
    there_are = sum(is_relevant(gain, rel) for gain in judged)
    if name == "R":
        return sum(hits) / there_are if there_are else 0
    if name == "Rprec":
        first = [is_relevant(gain, rel) for gain in ranked[:there_are]]
        return sum(first) / there_are if there_are else 0
    found = sum(sum(hits[:i]) / i for i, hit in enumerate(hits, 1) if hit)
    return found / there_are if there_are else 0


@given(
    topics,
    st.randoms(),
    st.integers(1, 30),
    st.sampled_from([None, 1, 2.5]),
    st.sampled_from([0.0, 0.5, 0.8, 0.95]),
)
def test_the_definition(judged, random, k, rel, p):
    ranked = random.sample(judged + [0.0] * 5, len(judged))
    options = f"rel={rel}" if rel else ""
    for name in ("AP", "P", "R", "Rprec", "Success", "RR", "RBP"):
        given = f"p={p},{options}".strip(",") if name == "RBP" else options
        cutoff = "" if name == "Rprec" else f"@{k}"
        value = float(parse(f"{name}({given}){cutoff}").evaluate(ranked, judged))
        assert value == pytest.approx(by_hand(name, ranked, judged, k, rel, p), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_many_rankings_at_once_are_each_alone_to_the_last_bit(name):
    rng = np.random.default_rng(2)
    judged = rng.integers(0, 3, (4, 12)) * rng.random((4, 12))
    ranked = np.stack([rng.permuted(judged, axis=1)[:, :9] for _ in range(5)])
    measure = parse(name)
    together = measure.evaluate(ranked, judged)
    assert together.shape == (5, 4)
    for run in range(5):
        for topic in range(4):
            padded = np.append(ranked[run, topic], [0, 0, 0])
            assert measure.evaluate(padded, judged[topic]) == together[run, topic]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_to_find_and_nothing_found(name):
    measure = parse(name)
    assert measure.evaluate([0, 0, 0], [0, 0]) == 0
    assert measure.evaluate([], []) == 0
    assert measure.evaluate([], [1]) == 0
    assert measure.evaluate(np.zeros((3, 0, 10)), np.zeros((0, 5))).shape == (3, 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("factor", [1e-9, 7.3, 1e12])
def test_a_constant_factor_changes_nothing(name, factor):
    judged, ranked = np.array([1, 0.3, 0.3, 0, 0.01]), np.array([0, 0.3, 0, 1, 0.01])
    measure = parse(name)
    value = measure.evaluate(ranked, judged)
    assert 0 < value < 1 or (name in ("R@7", "Success@7") and value == 1)
    assert float(measure.evaluate(ranked * factor, judged * factor)) == pytest.approx(value)


def test_the_smallest_and_the_largest_gain_beside_each_other():
    both = [1e-9, 1e12]
    assert parse("AP").evaluate(both, both) == 1
    assert parse("P@2").evaluate(both, both) == 1
    assert parse("RR(rel=1)").evaluate(both, both) == 0.5
    assert float(parse("RBP").evaluate(both, both)) == pytest.approx(0.2 * 0.8)
    assert parse("nDCG").evaluate([1e12, 1e-9], both) == 1
    assert 0 < parse("nDCG").evaluate(both, both) < 1
    assert parse("ERR(unit='n_k')").evaluate(both, both, n_k=1e11) > 0


def test_all_equal_and_all_relevant():
    assert parse("AP").evaluate([2, 2, 2], [2, 2, 2]) == 1
    assert parse("nDCG@2").evaluate([2, 2, 2], [2, 2, 2]) == 1
    for name in ("P@3", "R@3", "Rprec", "Success@1"):
        assert parse(name).evaluate([2, 2, 2], [2, 2, 2]) == 1
    assert float(parse("RBP").evaluate([2] * 200, [2] * 200)) == pytest.approx(1)


def test_a_topic_may_have_a_threshold_of_its_own():
    ranked, judged = [[1.0, 3.0, 5.0]] * 2, [[1.0, 3.0, 5.0]] * 2
    for name, expected in {
        "P(rel='anchors')@3": [2 / 3, 1 / 3],
        "R(rel='anchors')@2": [1 / 2, 0],
        "Rprec(rel='anchors')": [1 / 2, 0],
        "Success(rel='anchors')@2": [1, 0],
        "RR(rel='anchors')": [1 / 2, 1 / 3],
        "AP(rel='anchors')": [(1 / 2 + 2 / 3) / 2, 1 / 3],
        "RBP(rel='anchors',p=0.5)": [3 / 8, 1 / 8],
    }.items():
        found = parse(name).evaluate(ranked, judged, anchors=[3, 3.1])
        assert found.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ranked", [[-1], [float("nan")], [float("inf")], [2]])
def test_gains_that_are_none(name, ranked):
    with pytest.raises(GainError):
        parse(name).evaluate(ranked, [1])


@pytest.mark.parametrize("rel", [0, float("nan"), float("inf"), [1, 2, 3]])
@pytest.mark.parametrize("name", ["AP", "P", "R", "Success", "RR", "RBP"])
def test_thresholds_that_are_none(name, rel):
    with pytest.raises(GainError, match="rel"):
        parse(f"{name}(rel='anchors')@3").evaluate([[1], [1]], [[1], [1]], anchors=rel)


@given(topics, st.randoms(), st.integers(1, 30))
def test_how_they_hang_together(judged, random, k):
    """Recall rises with the cutoff; at R it is precision; success is that the first is found."""
    ranked = random.sample(judged + [0.0] * 5, len(judged))

    def value(name):
        return float(parse(name).evaluate(ranked, judged))

    assert value(f"R@{k}") <= value(f"R@{k + 1}") <= 1
    assert value(f"Success@{k}") == float(value(f"P@{k}") > 0) == float(value(f"RR@{k}") > 0)
    there_are = sum(gain > 0 for gain in judged)
    if there_are:
        assert value("Rprec") == value(f"R@{there_are}") == value(f"P@{there_are}")


def test_unjudged_documents_may_be_relevant_if_it_is_asked_for():
    assert parse("R@3").evaluate([1, 1, 1], [1, 1]) == 1.5
    assert parse("Rprec").evaluate([1, 1, 1], [1, 1]) == 1
