"""rpref and bpref_de_beer_moens: against equations (1) and (2), by document, and in properties."""

from fractions import Fraction

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.by_pairs import preference
from magnitudes.measures.by_pairs.bpref_de_beer_moens import bpref_de_beer_moens
from magnitudes.measures.by_pairs.rpref import rpref
from magnitudes.measures.names import parse
from tests.magnitudes.measures.by_pairs.plain_loops import by_hand

gains = st.one_of(st.integers(0, 4).map(float), st.floats(1e-3, 300))
topics = st.lists(gains, min_size=1, max_size=16)
norms = st.sampled_from(preference.NORMS)


def stepped(gain, top, partitions):
    """The value of the partition of a gain, in whole numbers where gains are."""
    return min(int(gain * partitions / top), partitions - 1) / (partitions - 1)


def ranked_by(judged, places):
    return [judged[place] if place >= 0 else 0 for place in places]


@st.composite
def rankings(draw):
    """Judged gains, and a ranking of some of them among unjudged documents."""
    judged = draw(topics)
    mixed = [*range(len(judged)), *[-1] * draw(st.integers(0, 6))]
    shuffled = draw(st.permutations(mixed))
    return judged, shuffled[: draw(st.integers(0, len(mixed)))]


@given(rankings(), norms, st.integers(0, 1), st.one_of(st.none(), st.integers(1, 12)))
def test_the_definition_of_rpref(drawn, norm, omit_top, k):
    judged, places = drawn
    found = rpref(ranked_by(judged, places), judged, k, places=places, norm=norm, omit_top=omit_top)
    rho = [gain / (max(judged) or 1) for gain in judged]
    assert 0 <= found <= 1
    assert float(found) == pytest.approx(by_hand(rho, places[:k], norm, omit_top), abs=1e-12)


@given(rankings(), norms, st.sampled_from([None, 1, 2.5]))
def test_the_definition_of_bpref(drawn, norm, rel):
    judged, places = drawn
    found = bpref_de_beer_moens(
        ranked_by(judged, places), judged, places=places, norm=norm, rel=rel
    )
    rho = [float(gain > 0 if rel is None else gain >= rel) for gain in judged]
    assert float(found) == pytest.approx(by_hand(rho, places, norm), abs=1e-12)


@given(rankings(), norms, st.integers(2, 9))
def test_partitions_are_steps_of_worth(drawn, norm, partitions):
    judged, places = [np.floor(gain) for gain in drawn[0]], drawn[1]
    ranked = ranked_by(judged, places)
    found = rpref(ranked, judged, places=places, norm=norm, partitions=partitions)
    rho = [stepped(gain, max(judged) or 1, partitions) for gain in judged]
    assert float(found) == pytest.approx(by_hand(rho, places, norm), abs=1e-12)


@given(rankings(), norms)
def test_two_partitions_are_bpref_with_half_the_largest_gain(drawn, norm):
    judged, places = [np.floor(gain) for gain in drawn[0]], drawn[1]
    ranked, half = ranked_by(judged, places), max(judged) / 2 or 1
    found = rpref(ranked, judged, places=places, norm=norm, partitions=2)
    assert found == bpref_de_beer_moens(ranked, judged, places=places, norm=norm, rel=half)


@given(rankings(), norms)
def test_many_partitions_come_to_rpref(drawn, norm):
    judged, places = drawn
    ranked = ranked_by(judged, places)
    many = rpref(ranked, judged, places=places, norm=norm, partitions=10**6)
    assert float(many) == pytest.approx(
        float(rpref(ranked, judged, places=places, norm=norm)), abs=1e-3
    )


@given(topics, norms, st.integers(0, 1), st.integers(0, 16))
def test_a_list_that_begins_with_the_best_is_perfect(judged, norm, omit_top, deep):
    order = np.argsort(-np.array(judged), kind="stable")[:deep]
    found = rpref(np.array(judged)[order], judged, places=order, norm=norm, omit_top=omit_top)
    assert found == float(max(judged) > 0)


@given(rankings(), norms)
def test_only_the_order_of_judged_documents_counts(drawn, norm):
    judged, places = drawn
    known = [place for place in places if place >= 0]
    with_others = rpref(ranked_by(judged, places), judged, places=places, norm=norm)
    filled = [1e-9 if place < 0 else judged[place] for place in places]
    assert rpref(ranked_by(judged, known), judged, places=known, norm=norm) == with_others
    if max(judged) > 0:
        assert rpref(filled, judged, places=places, norm=norm) == with_others


@pytest.mark.parametrize("name", ["rpref", "rpref(norm='relative')@7", "rpref(partitions=4)"])
def test_many_rankings_at_once_are_each_alone_to_the_last_bit(name, monkeypatch):
    monkeypatch.setattr(preference, "CHUNK_SIZE", 60)  # several parts
    rng = np.random.default_rng(5)
    judged = rng.integers(0, 3, (4, 12)) * rng.random((4, 12))
    n_judged = np.array([12, 5, 9, 1])
    judged[np.arange(12) >= n_judged[:, np.newaxis]] = 0
    mixed = np.tile(np.append(np.arange(12), [-1] * 6), (5, 4, 1))
    places = rng.permuted(mixed, axis=-1)[..., :10]
    places[places >= n_judged[:, np.newaxis]] = -1
    ranked = np.where(
        places >= 0, np.take_along_axis(judged[np.newaxis], np.maximum(places, 0), axis=-1), 0
    )
    together = parse(name).evaluate(ranked, judged, places=places, n_judged=n_judged)
    assert together.shape == (5, 4)
    for run in range(5):
        for topic, n in enumerate(n_judged):
            alone = parse(name).evaluate(
                np.append(ranked[run, topic], [0, 0]),
                judged[topic, :n],
                places=np.append(places[run, topic], [-1, -1]),
                n_judged=n,
            )
            assert alone == together[run, topic]


@pytest.mark.parametrize("seed", range(5))
def test_bpref_is_trec_evals_where_all_relevant_are_found_and_most_are_relevant(seed):
    rng = np.random.default_rng(seed)
    labels = np.append(np.ones(20, int), np.zeros(12, int))
    places = rng.permutation(40)
    places[places >= 32] = -1
    qrels = {"1": {f"d{d:02}": int(label) for d, label in enumerate(labels)}}
    run = {"1": {f"{'d' if d >= 0 else f'x{i}'}{d:02}": 40.0 - i for i, d in enumerate(places)}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"bpref"}).evaluate(run)["1"]["bpref"]
    ranked = np.where(places >= 0, labels[places], 0)
    assert float(bpref_de_beer_moens(ranked, labels, places=places)) == pytest.approx(
        theirs, rel=1e-12
    )


def test_degenerate_topics():
    for norm in preference.NORMS:
        nothing = rpref([0, 0], [0, 0], places=[1, 0], norm=norm)
        all_perfect = rpref([2, 2], [2, 2], places=[1, 0], norm=norm)
        empty = rpref([], [2, 1, 0], places=[], norm=norm)
        unjudged = rpref([0, 0], [2, 1, 0], places=[-1, -1], norm=norm)
        no_topic = rpref([], [], places=[], norm=norm)
        only_top = rpref([2], [2, 0], places=[0], norm=norm, omit_top=1)
        found = [nothing, all_perfect, empty, unjudged, no_topic, only_top]
        assert [float(value) for value in found] == [0, 1, 1, 1, 0, 1]
    no_runs = rpref(np.zeros((0, 3, 2)), np.zeros((3, 4)), places=np.zeros((0, 3, 2), int))
    assert no_runs.shape == (0, 3)


def test_equals_lose_nothing_to_each_other_to_the_last_bit():
    judged = [1] + [0.9] * 40  # forty times 0.9 is not the sum of forty of them
    last_first = np.append(0, np.arange(40, 0, -1))
    for norm in preference.NORMS:
        for deep in range(41):
            found = rpref(judged[:deep], judged, places=last_first[:deep], norm=norm)
            assert found == 1


def test_thresholds_of_partitions_are_met_in_spite_of_rounding():
    judged = [1, 0.29, 0.28]  # 0.29 * 100 is below 29
    found = rpref([0.28, 0.29], judged, places=[2, 1], partitions=100)
    rho = [stepped(gain, 100, 100) for gain in (100, 29, 28)]
    assert float(found) == pytest.approx(by_hand(rho, [2, 1], "absolute"), rel=1e-12)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"largest": 1, "judged": [1.5, 0.5]}, "gain 1.5 is above the largest given"),
        ({"judged": [1, -0.5]}, "judged gain -0.5 at"),
        ({"judged": [1, float("nan")]}, "judged gain nan at"),
        ({"places": [0, 0]}, "a document is ranked twice"),
        ({"judged": [1, 0], "places": [1, 1]}, "a document is ranked twice"),
        ({"judged": [1, 0], "places": [1, -1, 0, 1]}, "a document is ranked twice"),
        ({"places": [0, 2]}, "places must be whole numbers below 2"),
        ({"places": [0, 0.5]}, "places must be whole numbers below 2"),
        ({"places": [[0], [1], [0]], "judged": [[1, 0], [1, 0]]}, "do not fit"),
        ({"n_judged": 3}, "n_judged must lie from"),
        ({"n_judged": 0}, "n_judged must lie from"),
        ({"n_judged": [2, 2]}, "do not fit"),
        ({"partitions": 1}, "partitions 1 is not a number from 2"),
        ({"norm": "both"}, "norm 'both'"),
        ({"omit_top": 2}, "omit_top 2"),
        ({"k": 0}, "cutoff 0"),
    ],
)
def test_what_cannot_be_measured(given, said):
    asked = {"ranked": [0], "judged": [1, 0.5], "places": [0, 1]} | given
    with pytest.raises(GainError, match=said):
        rpref(**asked)


def test_bpref_refuses_a_document_without_gain_that_is_ranked_twice():
    with pytest.raises(GainError, match="a document is ranked twice"):
        bpref_de_beer_moens([0, 0], [1, 0], places=[1, 1])


def test_a_document_that_is_left_out_takes_no_digits_of_the_others():
    judged = [1e12, 1, 2]  # the second loses 1 of its 2 to the first; of the third, nothing counts
    found = rpref(judged, judged, places=[0, 1, 2], norm="relative", omit_top=1)
    assert float(found) == pytest.approx(1 - (1 / 2) / (1 + 2), rel=1e-15, abs=0)
    rho = [1, Fraction(1, 10**12), Fraction(2, 10**12)]
    others = sum(1 - share for share in rho)
    exact = 1 - (rho[2] - rho[1]) / others / (rho[1] + rho[2])
    found = rpref(judged, judged, places=[0, 1, 2], omit_top=1)
    assert float(found) == pytest.approx(float(exact), rel=1e-15, abs=0)


def test_measures_say_what_they_need():
    assert parse("bpref_de_beer_moens(rel='anchors')").needs == ("places", "n_judged", "anchors")
    assert str(parse("bpref_de_beer_moens").in_study()) == "bpref_de_beer_moens(rel='anchors')"
    asked = "rpref(omit_top=1,norm='absolute',partitions=4)@10"
    assert str(parse(asked)) == "rpref(partitions=4,omit_top=1)@10"


WORTH = [1, 1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1, 0, 0]
TOOLS = [  # Figure 1 of the paper, as tests/spec/preference.md reads it; 0 is no document
    [3, 1, 2, 4, 5, 6, 7, 8, 12],
    [1, 6, 3, 5, 9, 12, 2, 8, 10],
    [16, 14, 13, 15, 7, 11, 10, 5, 0],
]


@pytest.mark.parametrize("norm", preference.NORMS)
@pytest.mark.parametrize("omit_top", [0, 1])
def test_figure_1_orders_the_tools_alike_and_comes_to_rpref(norm, omit_top):
    def scores(partitions):
        options = {"norm": norm, "omit_top": omit_top, "partitions": partitions}
        return rpref(np.zeros(9), WORTH, places=np.array(TOOLS) - 1, **options)

    limit, few, many = scores(None), [scores(n) for n in range(2, 40)], scores(10_000)
    for found in [*few, many, limit]:
        assert found[0] > found[1] > found[2]
    assert np.abs(many - limit).max() < 1e-4 < 1e-2 < np.abs(few[0] - limit).max()
    # ... and on no monotone way:
    assert (np.diff(few, axis=0) > 0).any()
    assert (np.diff(few, axis=0) < 0).any()
