import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.subruns import complete_sub_runs


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 3))
def test_lists_are_complete_and_of_topics_with_enough(seed, k, least):
    rng = np.random.default_rng(seed)
    codes = [np.argsort(rng.random((6, 8)), axis=1)[:, :5] for _ in range(5)]
    for lists in codes:
        lists[np.arange(5) >= rng.integers(0, 6, 6)[:, np.newaxis]] = -1
    labelled = [rng.random(8) < 0.7 for _ in range(5)]
    found = complete_sub_runs(codes, labelled, 20, k, least, seed)
    complete = [
        [run for run, row in enumerate(lists) if all(c >= 0 and known[c] for c in row[:k])]
        for lists, known in zip(codes, labelled, strict=True)
    ]
    assert found.topics.tolist() == [t for t, runs in enumerate(complete) if len(runs) >= least]
    assert found.lists.tolist() == [len(complete[t]) for t in found.topics]
    assert found.choices.shape == (20, len(found.topics))
    for column, topic in enumerate(found.topics):
        assert set(found.choices[:, column]) <= set(complete[topic])
    assert bool(found.reason) == (not len(found.topics))


def test_every_list_is_taken_as_often():
    lists = [np.zeros((4, 1), dtype=int)] * 2
    choices = complete_sub_runs(lists, [[True]] * 2, 4000, k=1, seed=1).choices
    for column in choices.T:
        assert np.bincount(column) == pytest.approx([1000] * 4, abs=120)
    # Topics are drawn apart from one another.
    together = np.bincount(choices @ [4, 1], minlength=16)
    assert together == pytest.approx([250] * 16, abs=70)


def test_the_seed_settles_the_choice():
    lists = [np.zeros((9, 1), dtype=int)]
    one, same, other = (complete_sub_runs(lists, [[True]], k=1, seed=s) for s in (1, 1, 2))
    assert (one.choices == same.choices).all()
    assert (one.choices != other.choices).any()
    assert (one.seed, one.choices.shape) == (1, (100, 1))


def test_a_list_shorter_than_ten_is_not_complete():
    short = np.arange(9)[np.newaxis].repeat(2, axis=0)
    assert not complete_sub_runs([short], [[True] * 9]).topics.size
    padded = np.concatenate([short, [[-1], [-1]]], axis=1)
    found = complete_sub_runs([padded], [[True] * 9])
    assert found.choices.shape == (100, 0)
    assert found.reason == "no topic has 2 lists whose first 10 documents are all labelled"
    assert complete_sub_runs([padded], [[True] * 9], k=9).topics.tolist() == [0]


def test_nothing_to_choose_from():
    assert complete_sub_runs([], []).reason
    assert complete_sub_runs([np.empty((0, 10), dtype=int)], [[]]).reason


def test_arrays_that_do_not_fit():
    with pytest.raises(ComparisonError, match="1 topics have lists, and 0 have labels"):
        complete_sub_runs([[[0]]], [])
    with pytest.raises(ComparisonError, match="codes of topic 1 must lie from -1 to 0"):
        complete_sub_runs([[[0]], [[1]]], [[True], [True]], k=1)


def test_more_sub_runs_begin_with_the_same_ones_and_another_topic_changes_none():
    lists = [np.arange(4)[:, np.newaxis]] * 3
    labelled = [[True] * 4] * 3
    few, many = (complete_sub_runs(lists, labelled, n, k=1, seed=2) for n in (7, 300))
    assert many.choices[:7].tolist() == few.choices.tolist()
    without_first = complete_sub_runs(lists, [[False] * 4, *labelled[1:]], 7, k=1, seed=2)
    assert without_first.choices.tolist() == few.choices[:, 1:].tolist()
