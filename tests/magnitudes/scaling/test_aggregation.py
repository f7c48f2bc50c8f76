import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.scaling import ScalingError
from magnitudes.scaling.aggregation import AGGREGATORS, aggregate

judged = st.lists(st.tuples(st.integers(0, 7), st.floats(1e-6, 1e6)), max_size=60)


def split(pairs):
    return [value for _, value in pairs], np.array([item for item, _ in pairs], dtype=int)


def groups(pairs, n_items=8):
    return [[value for item, value in pairs if item == i] for i in range(n_items)]


@given(judged)
def test_the_median_is_numpys_bit_for_bit(pairs):
    values, counts = aggregate(*split(pairs), 8)
    for value, count, group in zip(values, counts, groups(pairs), strict=True):
        assert count == len(group)
        assert value == np.median(group) if group else np.isnan(value)


@given(judged)
def test_the_means_are_those_of_each_group(pairs):
    arithmetic = aggregate(*split(pairs), 8, "arithmetic").values
    geometric = aggregate(*split(pairs), 8, "geometric").values
    for a, g, group in zip(arithmetic, geometric, groups(pairs), strict=True):
        if group:
            assert a == pytest.approx(np.mean(group), rel=1e-14)
            assert g == pytest.approx(np.exp(np.mean(np.log(group))), rel=1e-12)
            assert min(group) * (1 - 1e-12) <= g <= a * (1 + 1e-12)
        else:
            assert np.isnan([a, g]).all()


@pytest.mark.parametrize("how", AGGREGATORS)
@given(pairs=judged, data=st.data())
def test_the_order_of_arrival_makes_no_difference_to_the_last_bit(how, pairs, data):
    other = data.draw(st.permutations(pairs))
    one, two = aggregate(*split(pairs), 8, how), aggregate(*split(other), 8, how)
    assert one.values.tobytes() == two.values.tobytes()


@pytest.mark.parametrize("how", AGGREGATORS)
def test_large_groups_do_not_depend_on_order_either(how):
    rng = np.random.default_rng(1)
    values, items = rng.lognormal(sigma=3, size=50_000), rng.integers(0, 20, 50_000)
    order = rng.permutation(50_000)
    one, two = aggregate(values, items, 20, how), aggregate(values[order], items[order], 20, how)
    assert one.values.tobytes() == two.values.tobytes()


@pytest.mark.parametrize("how", AGGREGATORS)
@given(pairs=judged, place=st.integers(0, 59), factor=st.floats(1, 100))
def test_a_higher_score_never_lowers_the_result(how, pairs, place, factor):
    raised = [(i, v * factor if n == place else v) for n, (i, v) in enumerate(pairs)]
    before, after = aggregate(*split(pairs), 8, how), aggregate(*split(raised), 8, how)
    there = before.counts > 0
    assert (after.values[there] >= before.values[there] * (1 - 1e-12)).all()


def test_the_middle_two_are_averaged_on_their_own_scale():
    assert aggregate([1, 100], [0, 0], 1).values == [50.5]


def test_zeros_of_either_sign_are_zero():
    assert not np.signbit(aggregate([-0.0], [0], 1).values[0])


def test_nothing_at_all():
    assert aggregate([], [], 0).values.shape == (0,)
    values, counts = aggregate([], [], 2)
    assert np.isnan(values).all()
    assert (counts == 0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [0], 1), "one length"),
        (([[1]], [[0]], 1), "one length"),
        (([1], [0.0], 1), "whole numbers, not float64"),
        (([1], [1], 1), "from 0 to 0"),
        (([1], [-1], 1), "from 0 to 0"),
        (([float("nan")], [0], 1), "finite"),
        (([float("inf")], [0], 1), "finite"),
        (([1], [0], 1, "mean"), "unknown aggregator 'mean'; there are median"),
        (([1, 0], [0, 0], 1, "geometric"), "above zero, and one is 0.0"),
    ],
)
def test_faults(arguments, message):
    with pytest.raises(ScalingError, match=message):
        aggregate(*arguments)
