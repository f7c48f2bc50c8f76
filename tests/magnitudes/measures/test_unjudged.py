import numpy as np
import pytest

from magnitudes.gains import GainError
from magnitudes.measures.lists import END, UNJUDGED, Lists
from magnitudes.measures.names import MeasureNameError, parse
from magnitudes.measures.relevance import between
from magnitudes.measures.unjudged import fill

FOUND = np.array([[5, np.nan, 3, np.nan], [np.nan, 2, np.nan, np.nan]])
LISTED = np.array([[True] * 4, [True, True, True, False]])


def test_unjudged_documents_get_what_is_said_and_the_end_of_a_list_nothing():
    assert fill(FOUND, LISTED, 0).tolist() == [[5, 0, 3, 0], [0, 2, 0, 0]]
    assert fill(FOUND, LISTED, [0.5, 0.25]).tolist() == [[5, 0.5, 3, 0.5], [0.25, 2, 0.25, 0]]


@pytest.mark.parametrize(
    ("name", "last"), [("nDCG@4", 0), ("P(unjudged='min')@4", 2), ("RR(unjudged='n_k')", 1)]
)
def test_a_measure_fills_in_as_its_option_says(name, last):
    places = np.array([[0, UNJUDGED, 1, UNJUDGED], [UNJUDGED, 2, UNJUDGED, END]])
    lists = Lists(places, np.array([5.0, 3, 2]), {"min": np.array(2), "n_k": np.array(1)})
    measure = parse(name)
    gains = lists.top(measure.cutoff, str(measure.options.get("unjudged", ""))).gains
    assert gains[0].tolist() == [5, last, 3, last]
    assert gains[1, 3] == 0


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("ERR(unit='n_k')@10", "n_k of each topic"),
        ("nDCG(unjudged='n_k')@10", "n_k of each topic"),
        ("P(rel='anchors')@10", "the anchors of each topic"),
        ("P(unjudged='min')@10", "the smallest judged gain"),
    ],
)
def test_what_is_needed_and_not_known_is_named(name, missing):
    with pytest.raises(MeasureNameError, match=f"needs {missing}.*; not known here"):
        parse(name).evaluate([1], [1])


def test_options_of_all_measures_stand_last():
    text = "nDCG(order='rank', unjudged='min', dcg='jk')@5"
    assert str(parse(text)) == "nDCG(dcg='jk',unjudged='min',order='rank')@5"
    assert str(parse("ERR(unjudged=0,order='score')@5")) == "ERR@5"
    assert parse(text).by_rank
    assert not parse("ERR@5").by_rank
    with pytest.raises(MeasureNameError, match="unjudged must be one of 0, 'min', 'n_k'"):
        parse("P(unjudged=1)@3")
    with pytest.raises(MeasureNameError, match="rel must be a number or 'anchors'"):
        parse("P(rel='n_k')@3")
    with pytest.raises(MeasureNameError, match=r"no option x; it has rel; all .* unjudged, order"):
        parse("P(x=1)@3")


def test_what_a_study_takes_where_nothing_is_said():
    for written, meant in {
        "P@10": "P(rel='anchors')@10",
        "AP(order='rank')": "AP(rel='anchors',order='rank')",
        "RR(rel=3)": "RR(rel=3)",
        "RBP": "RBP",
        "nDCG@10": "nDCG@10",
    }.items():
        assert str(parse(written).in_study()) == meant


def test_the_threshold_between_the_anchors():
    assert between([50, 3], [2, 3]).tolist() == [10, 3]
    assert between(1e12, 1e-12) == 1
    for gain in (0, -1, np.nan, np.inf):
        with pytest.raises(GainError):
            between(1, gain)


@pytest.mark.parametrize("gain", np.random.default_rng(1).lognormal(sigma=9, size=50))
def test_between_equal_anchors_it_is_their_gain(gain):
    assert between(gain, gain) == gain
