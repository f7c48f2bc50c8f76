"""Judged: against ir_measures, and the share that stands beside every value."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.lists import END, Lists, numbers_of
from magnitudes.measures.names import MeasureNameError, parse
from tests.magnitudes.measures.by_pairs.test_bpref import files, rankings


@given(rankings(st.lists(st.integers(-2, 2), min_size=1, max_size=16)), st.integers(1, 20))
def test_it_is_that_of_ir_measures(drawn, k):
    judged, places = drawn
    qrels, run = files(judged, places)
    for name in (f"Judged@{k}", "Judged"):
        ((_, _, theirs),) = ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
        padded = np.append(places, [END] * 3)
        value = parse(name).evaluate(np.zeros(len(padded)), np.zeros(len(judged)), places=padded)
        assert float(value) == pytest.approx(theirs, rel=1e-12)


def test_it_is_the_share_beside_every_value_and_0_for_an_empty_list():
    places = np.array([[0, -1, 1, -1], [-1, 2, END, END], [3, END, END, END], [END] * 4])
    gains = np.array([5.0, 0, 2, np.nan])
    lists = Lists(places, gains, numbers_of(gains))
    by_name = lists.measure(parse("Judged@3"))
    assert by_name.values.tolist() == pytest.approx([2 / 3, 1 / 2, 0, 0])
    shares = lists.measure(parse("nDCG@3")).judged
    np.testing.assert_array_equal(shares, by_name.judged)
    np.testing.assert_array_equal(np.nan_to_num(shares), by_name.values)
    assert np.isnan(shares).tolist() == [False, False, False, True]


def test_what_cannot_be_measured():
    with pytest.raises(MeasureNameError, match="needs which judged document stands at each rank"):
        parse("Judged@3").evaluate([1], [1])
    for places in (0, [0.5]):
        with pytest.raises(GainError, match="places must be whole numbers"):
            parse("Judged@3").evaluate([1], [1], places=places)
