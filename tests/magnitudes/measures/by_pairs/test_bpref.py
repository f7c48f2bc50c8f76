"""Bpref: against the code of trec_eval, labels below 0 too, and in properties."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.by_pairs.bpref import bpref
from magnitudes.measures.names import parse

labels = st.lists(st.integers(0, 3), min_size=1, max_size=16)


@st.composite
def rankings(draw, levels=labels):
    """Labels of judged documents, and a ranking of some of them among unjudged ones."""
    judged = draw(levels)
    mixed = [*range(len(judged)), *[-1] * draw(st.integers(0, 6))]
    shuffled = draw(st.permutations(mixed))
    return judged, shuffled[: draw(st.integers(1, len(mixed)))]


def files(judged, places):
    """The same as qrels and a run of one topic."""
    names = [f"d{place}" if place >= 0 else f"new{rank}" for rank, place in enumerate(places)]
    qrels = {"1": {f"d{place}": label for place, label in enumerate(judged)}}
    return qrels, {"1": {name: float(-rank) for rank, name in enumerate(names)}}


def by_trec_eval(judged, places, rel=1):
    qrels, run = files(judged, places)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"bpref"}, relevance_level=rel)
    return evaluator.evaluate(run)["1"]["bpref"]


def ours(judged, places, rel=None, **known):
    gains = [max(label, 0) for label in judged]
    ranked = [gains[place] if place >= 0 else 0 for place in places]
    return float(bpref(ranked, gains, places=places, rel=rel, **known))


@given(rankings(), st.sampled_from([None, 1, 2, 3]))
def test_it_is_trec_evals(drawn, rel):
    assert ours(*drawn, rel) == pytest.approx(by_trec_eval(*drawn, rel or 1), rel=1e-12)


@given(rankings(st.lists(st.integers(-2, 2), min_size=1, max_size=16)))
def test_a_label_below_0_is_no_judgment_to_it(drawn):
    """trec_eval reads it so; pytrec_eval loses its memory, and is given the other labels alone."""
    judged, places = drawn
    known = [place for place, label in enumerate(judged) if label >= 0]
    new_places = [known.index(place) if place in known else -1 for place in places]
    theirs = by_trec_eval([judged[place] for place in known], new_places) if known else 0
    negative = np.array(judged) < 0
    assert ours(*drawn, negative=negative) == pytest.approx(theirs, rel=1e-12)


@given(rankings())
def test_it_is_that_of_ir_measures(drawn):
    ((_, _, theirs),) = ir_measures.iter_calc([ir_measures.Bpref], *files(*drawn))
    assert ours(*drawn) == pytest.approx(theirs, rel=1e-12)


@given(rankings())
def test_only_the_order_of_judged_documents_counts(drawn):
    judged, places = drawn
    known = [place for place in places if place >= 0]
    assert ours(judged, places) == ours(judged, known)
    best_first = sorted(range(len(judged)), key=lambda place: -judged[place])
    assert ours(judged, best_first) == float(max(judged) > 0)


def test_many_rankings_at_once_are_each_alone_to_the_last_bit():
    rng = np.random.default_rng(5)
    judged = rng.integers(0, 3, (4, 12)).astype(float)
    n_judged = np.array([12, 5, 9, 1])
    judged[np.arange(12) >= n_judged[:, np.newaxis]] = 0
    mixed = np.tile(np.append(np.arange(12), [-1] * 6), (5, 4, 1))
    places = rng.permuted(mixed, axis=-1)[..., :10]
    places[places >= n_judged[:, np.newaxis]] = -1
    values = parse("Bpref").evaluate(np.zeros((5, 4, 1)), judged, places=places, n_judged=n_judged)
    assert values.shape == (5, 4)
    for run in range(5):
        for topic, n in enumerate(n_judged):
            alone = ours(judged[topic, :n], np.append(places[run, topic], [-1, -2]), n_judged=n)
            assert alone == values[run, topic]


def test_degenerate_topics():
    assert ours([0, 0], [1, 0]) == 0  # nothing relevant
    assert ours([2, 2], [1, 0]) == 1  # nothing else
    assert ours([2, 0], [-1, -1]) == 0  # nothing judged in the list
    assert ours([2, 0], np.array([], int)) == 0
    assert bpref([], [], places=[]) == 0
    assert bpref(np.zeros((0, 3, 2)), np.zeros((3, 4)), places=np.zeros((0, 3, 2), int)).shape == (
        0,
        3,
    )


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"judged": [1, -0.5]}, "judged gain -0.5 at"),
        ({"places": [1, 1]}, "a document is ranked twice"),
        ({"places": [0, 2]}, "places must be whole numbers below 2"),
        ({"places": [0, 0.5]}, "places must be whole numbers below 2"),
        ({"n_judged": 3}, "n_judged must lie from"),
        ({"n_judged": 0}, "n_judged must lie from"),
        ({"rel": 0}, "rel 0 is not positive"),
    ],
)
def test_what_cannot_be_measured(asked, fault):
    usual = {"ranked": [0], "judged": [1, 0.5], "places": [0, 1]}
    with pytest.raises(GainError, match=fault):
        bpref(**usual | asked)


def test_what_it_asks_for():
    assert parse("Bpref(rel='anchors')").needs == ("places", "n_judged", "anchors")
    assert str(parse("Bpref").in_study()) == "Bpref(rel='anchors')"
