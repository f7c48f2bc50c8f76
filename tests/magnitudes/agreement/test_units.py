import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.units import aggregate_best, best_units, narrow_and_wide
from magnitudes.scaling import ScalingError
from magnitudes.scaling.aggregation import aggregate


class Experiment:
    """Units of four documents of ten, and how well each agrees; few values, so that many tie."""

    def __init__(self, seed, units=12):
        rng = np.random.default_rng(seed)
        self.agreement = rng.choice([0.25, 0.5, 1, math.nan], units)
        self.unjudged = rng.integers(0, 3, units)
        self.ids = rng.permutation(units) + 100
        self.units = np.repeat(np.arange(units), 4)
        self.items = np.argsort(rng.random((units, 10)), axis=1)[:, :4].ravel()
        self.scores = rng.lognormal(size=units * 4)
        self.kind = rng.random(units) < 0.5
        mixed = rng.permutation(units * 4)
        for name in ("units", "items", "scores"):
            setattr(self, name, getattr(self, name)[mixed])

    def quality(self):
        return self.agreement, self.unjudged, self.ids

    def worth(self, unit):
        """The smaller, the better."""
        share = self.agreement[unit]
        return (math.isnan(share), -np.nan_to_num(share), self.unjudged[unit], self.ids[unit])

    def best(self, item, how_many, kind=None):
        """The units of an item in plain words: the best of the kind, or else of any."""
        has = [unit for unit, of in zip(self.units, self.items, strict=True) if of == item]
        wanted = [unit for unit in has if kind is None or kind[unit]]
        return sorted(wanted or has, key=self.worth)[:how_many], bool(has and not wanted)


SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 5))
def test_each_item_has_the_scores_of_its_best_units(seed, how_many):
    made = Experiment(seed)
    chosen = best_units(*made.quality(), made.items, made.units, how_many)
    for item in range(10):
        found = made.units[chosen & (made.items == item)]
        assert sorted(found) == sorted(made.best(item, how_many)[0])


@given(SEEDS, st.integers(1, 4))
def test_a_kind_and_what_stands_in_for_it(seed, how_many):
    made = Experiment(seed)
    found = aggregate_best(
        made.scores, made.items, made.units, 10, *made.quality(), made.kind, how_many
    )
    for item in range(10):
        units, fell_back = made.best(item, how_many, made.kind)
        assert found.fell_back[item] == fell_back
        assert found.counts[item] == len(units)
        of_item = made.items == item
        scores = [made.scores[of_item & (made.units == unit)][0] for unit in units]
        expected = np.median(scores) if scores else math.nan
        assert found.values[item] == pytest.approx(expected, nan_ok=True)


@given(SEEDS)
def test_enough_units_are_all_units(seed):
    made = Experiment(seed)
    found = aggregate_best(made.scores, made.items, made.units, 10, *made.quality(), how_many=99)
    whole = aggregate(made.scores, made.items, 10)
    np.testing.assert_array_equal(found.values, whole.values)
    assert not found.fell_back.any()


def test_undefined_agreement_comes_last_and_is_taken_if_nothing_else_is_there():
    nan = math.nan
    chosen = best_units([nan, 0.0, nan], [0, 9, 1], [1, 2, 3], [0, 0, 0], [0, 1, 2], how_many=2)
    assert chosen.tolist() == [True, True, False]


def test_shares_that_differ_in_the_last_digit_tie():
    chosen = best_units([0.3, 0.1 + 0.2], [0, 1], [1, 2], [0, 0], [0, 1], how_many=1)
    assert chosen.tolist() == [True, False]


def test_a_unit_at_the_median_is_wide():
    found = narrow_and_wide([3, 0.3 / 0.1, 7, 2, 2])
    assert 0.3 / 0.1 < 3
    assert found.narrow.tolist() == [False, False, False, True, True]
    assert found.wide.tolist() == [True, True, True, False, False]
    assert found.median == pytest.approx(3, rel=1e-11)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30))
def test_every_unit_is_narrow_or_wide(ratios):
    found = narrow_and_wide(ratios)
    assert (found.narrow ^ found.wide).all()
    assert found.wide.sum() >= len(ratios) / 2
    assert found.median == pytest.approx(np.median(ratios), rel=1e-9)


def test_a_single_unit_is_wide_and_none_has_no_median():
    assert narrow_and_wide([4]).wide.tolist() == [True]
    assert math.isnan(narrow_and_wide([]).median)
    found = narrow_and_wide([math.nan, 4, 2])
    assert (found.narrow.tolist(), found.wide.tolist()) == (
        [False, False, True],
        [False, True, False],
    )
    assert not np.any(narrow_and_wide([math.nan])[:2])


def test_no_score():
    found = aggregate_best([], [], [], 2, [0.5], [0], [1])
    assert np.isnan(found.values).all()
    assert not found.fell_back.any()


@pytest.mark.parametrize("ratio", [0, -1, math.inf])
def test_ratios_that_are_none(ratio):
    with pytest.raises(ScalingError, match="not a positive finite number"):
        narrow_and_wide([2, ratio])


def test_arrays_that_do_not_fit():
    with pytest.raises(ScalingError, match="three lists of one length"):
        best_units([0.5], [0, 1], [1], [0], [0])
    with pytest.raises(ScalingError, match="units must lie from 0 to 0"):
        best_units([0.5], [0], [1], [0], [1])
    with pytest.raises(ScalingError, match="for each of 1 units"):
        aggregate_best([1.0], [0], [0], 1, [0.5], [0], [1], kind=[True, False])
    with pytest.raises(ScalingError, match="one list"):
        narrow_and_wide([[1.0]])
