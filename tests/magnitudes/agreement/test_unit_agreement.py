from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.units import unit_agreement as agreement
from magnitudes.scaling import ScalingError

nan = float("nan")
document = st.tuples(st.sampled_from([0.5, 1, 2, 5, 10]), st.sampled_from([nan, 0, 1, 2, 3]))
tables = st.integers(1, 8).flatmap(
    lambda size: st.lists(st.lists(document, min_size=size, max_size=size), min_size=1, max_size=8)
)


def plainly(unit):
    pairs = [(a, b) for a, b in combinations(unit, 2) if abs(a[1] - b[1]) > 0]
    right = [(s <= t if c < d else s >= t) for (s, c), (t, d) in pairs]
    return (np.mean(right) if right else nan), len(right), sum(np.isnan(c) for _, c in unit)


@given(tables)
def test_it_is_the_plain_count(units):
    table = np.array(units)
    found = agreement(table[..., 0], table[..., 1])
    for unit, *one in zip(units, *found, strict=True):
        assert one == pytest.approx(list(plainly(unit)), nan_ok=True)


def test_units_are_worked_out_some_at_a_time(monkeypatch):
    rng = np.random.default_rng(1)
    scores, labels = rng.integers(1, 9, (100, 8)), rng.integers(0, 4, (100, 8))
    whole = agreement(scores, labels)
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 100)
    for one, other in zip(whole, agreement(scores, labels), strict=True):
        assert (one == other).all()


@given(tables, st.floats(1e-3, 1e3))
def test_a_factor_changes_nothing(units, factor):
    table = np.array(units)
    one = agreement(table[..., 0], table[..., 1])
    other = agreement(factor * table[..., 0], table[..., 1])
    assert np.array_equal(one.shares, other.shares, equal_nan=True)


def test_one_unit_one_document_and_none():
    assert agreement([[1, 2]], [[1, 0]]).shares.tolist() == [0]
    assert np.isnan(agreement([[1]], [[1]]).shares).all()
    assert agreement(np.empty((0, 8)), np.empty((0, 8))).shares.size == 0


@pytest.mark.parametrize(
    ("scores", "labels", "fault"),
    [
        ([1, 2], [0, 1], "shape"),
        ([[1, 2]], [[0]], "shape"),
        ([[1, nan]], [[0, 1]], "finite"),
        ([[1, 2]], [[0, np.inf]], "NaN where there is none"),
    ],
)
def test_what_cannot_be_answered_is_refused(scores, labels, fault):
    with pytest.raises(ScalingError, match=fault):
        agreement(scores, labels)
