import numpy as np
import pytest

from evaluation.comparison import ComparisonError
from evaluation.comparison.correlation import tau_interval
from evaluation.comparison.sensitivity import sensitivity
from evaluation.comparison.top_set import overlap, top_set

VALUES = np.random.default_rng(2).random((12, 15)) / 2 + np.linspace(0, 0.5, 15)
OTHERS = {
    "same": VALUES,
    "noise": VALUES + np.random.default_rng(3).normal(0, 0.2, VALUES.shape),
    "fewer topics": VALUES[:7],
}


def test_each_alternative_in_its_order():
    rows = sensitivity(VALUES, OTHERS)
    assert [row.name for row in rows] == list(OTHERS)
    for row in rows:
        other = OTHERS[row.name]
        assert row.tau == tau_interval(VALUES.mean(axis=0), other.mean(axis=0))
        assert row.overlap == overlap(top_set(VALUES).members, top_set(other).members)
        assert row.members == top_set(other).members.sum()
    assert (rows[0].tau.tau, rows[0].overlap) == (1, 1)
    assert rows[1].tau.tau < 1


def test_one_topic_has_a_tau_and_no_overlap():
    [row] = sensitivity(VALUES[:1], {"x": VALUES})
    assert -1 <= row.tau.tau <= 1
    assert np.isnan(row.overlap)
    assert row.reason == "one topic cannot tell systems apart"


def test_one_run_only():
    [row] = sensitivity(VALUES[:, :1], {"x": VALUES[:, :1]})
    assert np.isnan(row.tau[:3]).all()
    assert row.tau.reason == "an order needs at least 2 systems, not 1"
    assert row.overlap == 1


def test_no_topic_and_no_value():
    [row] = sensitivity(np.empty((0, 3)), {"x": VALUES[:, :3]})
    assert (row.reason, row.tau.reason) == ("there is no topic", "there is no topic")
    [row] = sensitivity(np.full((3, 2), np.nan), {"x": VALUES[:3, :2]})
    assert row.reason == "the reference has no top set"
    assert np.isnan(row.overlap)


def test_all_systems_equal_are_all_on_top():
    [row] = sensitivity(np.ones((4, 3)), {"x": VALUES[:4, :3]})
    assert row.tau.reason == "all values of the first list are equal"
    assert 0 < row.overlap <= 1


@pytest.mark.parametrize("other", [VALUES[:, :3], VALUES[0]])
def test_values_that_do_not_fit(other):
    with pytest.raises(ComparisonError, match="values of x"):
        sensitivity(VALUES, {"x": other})
    assert sensitivity(VALUES, {}) == []
