"""G(t), ranks in time, and expected saved documents, which a simulation confirms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.in_time.reader import Reader, path
from magnitudes.measures.in_time.time_biased import tbg
from magnitudes.measures.in_time.time_curves import curves, expected_saved, spread

LIST = {"ranked": [1, 0, 3, 0, 1], "judged": [3, 1, 1, 1]}
WORDS = {"words": [400, 1200, 0, 90, 700], "repeats": np.array([False] * 3 + [True, False])}
LISTED = {"listed": [True] * 5}


def test_ends_of_documents_are_the_corners_of_the_curves():
    way = path(**LIST, **WORDS, reader=Reader().validate())
    ends = way.begins + way.seconds
    found = curves(**LIST, **WORDS, **LISTED, times=ends)
    assert found.rank == pytest.approx([1, 2, 3, 4, 5], abs=1e-12)
    assert found.gain == pytest.approx(0.4928 * np.array([1, 1, 2, 2, 3]), abs=1e-12)
    middle = curves(**LIST, **WORDS, **LISTED, times=way.begins + way.seconds / 2)
    assert middle.rank == pytest.approx([0.5, 1.5, 2.5, 3.5, 4.5], abs=1e-12)
    late = curves(**LIST, **WORDS, listed=[True, True, False, False, False], times=[0, 1e6])
    assert late.rank.tolist() == [0, 2]


def test_with_the_decay_put_back_the_curve_gives_the_integral():
    """TBG is a step-function form of equation (2), below it by at most a document's decay."""
    times = np.linspace(0, 4000, 400_001)
    gain = curves(**LIST, **WORDS, **LISTED, times=times[::100]).gain
    staying = 2 ** (-times[::100] / 224)
    integral = float((np.diff(gain) * (staying[1:] + staying[:-1]) / 2).sum())
    assert integral < float(tbg(**LIST, **WORDS)) < integral * 1.1


def test_nothing_is_known_behind_the_beginning_of_a_document_of_unknown_length():
    words = [400, math.nan, 0, 90, 700]
    begins = path(**LIST, words=words, repeats=None, reader=Reader().validate()).begins
    found = curves(**LIST, **LISTED, words=words, times=[begins[1] / 2, begins[1], 50, 500])
    assert not np.isnan(found.rank[:2]).any()
    assert np.isnan(found.rank[2:]).all()
    assert np.isnan(found.gain[2:]).all()


def test_many_lists_and_their_spread():
    rng = np.random.default_rng(1)
    ranked = rng.integers(0, 2, (6, 3, 40)).astype(float)
    words = rng.integers(0, 2000, ranked.shape)
    listed = np.ones(ranked.shape, dtype=bool)
    times = [0, 60, 600, 1e6]
    found = curves(ranked, ranked, times, listed=listed, words=words)
    assert found.gain.shape == found.rank.shape == (6, 3, 4)
    alone = curves(ranked[2, 1], ranked[2, 1], times, listed=listed[2, 1], words=words[2, 1])
    assert (found.rank[2, 1] == alone.rank).all()
    assert (np.diff(found.rank) >= 0).all()
    lines = spread(found.rank)
    assert (lines.minimum <= lines.average).all()
    assert (lines.average <= lines.maximum).all()
    assert lines.maximum.tolist()[0::3] == lines.minimum.tolist()[0::3] == [0, 40]
    empty = curves(ranked, ranked, [], listed=listed, words=words)
    assert empty.rank.shape == (6, 3, 0)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3000)), min_size=1, max_size=15),
    st.floats(1, 2000),
)
def test_the_expected_time_is_a_lower_bound(listed, half_life):
    """Jensen's inequality, equation (8)."""
    gains, words = zip(*listed, strict=True)
    given = {"ranked": gains, "judged": [1], "words": words, "half_life": half_life}
    assert float(expected_saved(**given)) >= float(tbg(**given)) * (1 - 1e-12)


def test_readers_who_are_simulated_save_as_many():
    rng = np.random.default_rng(3)
    readers = 400_000
    saved = np.zeros(readers)
    time = np.zeros(readers)
    patience = rng.exponential(224 / math.log(2), readers)
    for gain, words, repeat in zip(LIST["ranked"], *WORDS.values(), strict=True):
        there = patience >= time
        clicked = rng.random(readers) < (0.64 if gain else 0.39)
        saved += there & clicked & (gain > 0) & (rng.random(readers) < 0.77)
        time += 4.4 + clicked * (0.018 * (0 if repeat else words) + 7.8)
    error = saved.std() / math.sqrt(readers)
    assert abs(saved.mean() - float(expected_saved(**LIST, **WORDS))) < 4 * error


def test_bad_input():
    with pytest.raises(GainError, match="times"):
        curves(**LIST, **WORDS, **LISTED, times=[-1])
    with pytest.raises(GainError, match="axis of lists"):
        spread([1, 2])
