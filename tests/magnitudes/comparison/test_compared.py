import numpy as np
import pytest

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.compared import compare
from magnitudes.comparison.correlation import tau_interval
from magnitudes.comparison.top_set import overlap, top_set

VALUES = np.random.default_rng(2).random((12, 15)) / 2 + np.linspace(0, 0.5, 15)
OTHERS = {
    "same": VALUES,
    "noise": VALUES + np.random.default_rng(3).normal(0, 0.2, VALUES.shape),
    "fewer topics": VALUES[:7],
}
NAMES = ("ranking by labels", "ranking by scores")


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_tau_and_top_sets(other):
    found = compare(VALUES, other)
    usual = tau_interval(VALUES.mean(axis=0), other.mean(axis=0))
    assert found.tau.tau == usual.tau
    ends = found.tau.low, found.tau.high
    assert np.isnan(ends).all() if usual.tau == 1 else ends == (usual.low, usual.high)
    assert found.overlap == overlap(top_set(VALUES).members, top_set(other).members)
    np.testing.assert_array_equal(found.first, top_set(VALUES).members)
    np.testing.assert_array_equal(found.second, top_set(other).members)
    assert found.both == round(found.overlap * found.first.sum())
    assert found.reason == ""


def test_only_the_same_order_has_a_tau_of_1():
    assert compare(VALUES, VALUES).tau.tau == 1
    assert compare(VALUES, OTHERS["noise"]).tau.tau < 1


@pytest.mark.parametrize("topics", [1, 5])
def test_below_six_topics_there_is_a_tau_without_interval_and_no_top_set(topics):
    found = compare(VALUES[:topics], OTHERS["noise"])
    assert -1 <= found.tau.tau < 1
    assert np.isnan([found.tau.low, found.tau.high, found.overlap]).all()
    assert found.sizes == (None, None, None)
    assert not (found.first | found.second).any()
    assert found.reason == "too few topics to say: intervals and top sets need 6"
    assert compare(VALUES[:6], OTHERS["noise"]).sizes[0] >= 1


def test_one_run_only():
    found = compare(VALUES[:, :1], VALUES[:, :1])
    assert np.isnan(found.tau[:3]).all()
    assert found.reason == "an order needs at least 2 systems, not 1"
    assert found.overlap == 1


def test_no_topic_and_no_value():
    found = compare(np.empty((0, 3)), VALUES[:, :3])
    assert (found.reason, found.why) == ("there is no topic", "there is no topic")
    found = compare(np.full((6, 2), np.nan), VALUES[:6, :2], NAMES)
    assert found.why == "the ranking by labels has no top set"
    assert found.reason == "a system of the ranking by labels has no value"
    assert np.isnan(found.overlap)


def test_a_reason_has_the_names_that_are_given():
    equal = np.ones((6, 3))
    found = compare(equal, VALUES[:6, :3], NAMES)
    assert found.reason == "all values of the ranking by labels are equal"
    assert 0 < found.overlap <= 1
    found = compare(VALUES[:6, :3], equal, NAMES)
    assert found.reason == "all values of the ranking by scores are equal"
    assert compare(VALUES[:6, :3], equal).reason == "all values of the second list are equal"


@pytest.mark.parametrize("other", [VALUES[:, :3], VALUES[0]])
def test_values_that_do_not_fit(other):
    with pytest.raises(ComparisonError, match="values of the ranking by scores"):
        compare(VALUES, other, NAMES)
