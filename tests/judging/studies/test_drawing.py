"""The random draw of units: what must hold of every draw, and of many."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.studies.drawing import draw_more, draw_units, units_needed

# Documents, units: the paper's Table I, of 18 topics.
TABLE_I = [(278, 460), (111, 182), (214, 354), (419, 695)]


@st.composite
def plans(draw):
    per_unit = draw(st.integers(1, 9))
    documents = draw(st.integers(per_unit, 60))
    return documents, per_unit, draw(st.integers(1, 12)), draw(st.integers(0, 2**63 - 1))


def drawn(documents: int, per_unit: int, redundancy: int, seed: int):
    return draw_units(documents, per_unit, redundancy, np.random.default_rng(seed))


@settings(max_examples=150, deadline=None)
@given(plans())
def test_every_draw_is_as_the_plan_asks(plan):
    documents, per_unit, redundancy, _ = plan
    units = drawn(*plan)
    assert units.shape == (-(-documents * redundancy // per_unit), per_unit)
    assert all(len(set(unit)) == per_unit for unit in units.tolist())  # none twice in a unit
    uses = np.bincount(units.ravel(), minlength=documents)
    assert len(uses) == documents
    assert uses.min() >= redundancy
    assert uses.max() - uses.min() <= 1


@settings(max_examples=30, deadline=None)
@given(plans())
def test_the_same_seed_draws_the_same(plan):
    assert (drawn(*plan) == drawn(*plan)).all()


def test_another_seed_draws_another():
    assert (drawn(40, 6, 10, 1) != drawn(40, 6, 10, 2)).any()


@pytest.mark.parametrize(("documents", "units"), TABLE_I)
def test_the_papers_table_i(documents, units):
    assert units_needed(documents, 10, 8) == units
    assert len(drawn(documents - 2, 6, 10, 0)) == units


@given(st.integers(8, 10**6), st.integers(1, 1000), st.integers(3, 100))
def test_units_needed_is_a_ceiling(documents, redundancy, unit_size):
    units = units_needed(documents, redundancy, unit_size)
    others, places = documents - 2, unit_size - 2
    assert units * places >= others * redundancy > (units - 1) * places


@given(st.integers(0, 8), st.integers(1, 9))
def test_a_pool_smaller_than_a_unit_is_refused(documents, more):
    with pytest.raises(ValueError, match="a unit holds"):
        drawn(documents, documents + more, 1, 0)


def test_a_pool_of_exactly_one_unit():
    units = drawn(6, 6, 10, 0)
    assert len(units) == 10
    assert all(set(unit) == set(range(6)) for unit in units.tolist())


def test_one_document_more_than_a_unit_holds():
    """The tightest case: each document is left out of few units."""
    for seed in range(20):
        units = drawn(7, 6, 10, seed)
        uses = np.bincount(units.ravel())
        assert set(uses.tolist()) <= {10, 11}


def test_sets_are_fresh_draws():
    """Units differ, and every two documents meet somewhere."""
    units = drawn(12, 6, 100, 7).tolist()
    assert len({frozenset(unit) for unit in units}) > 150  # of 200, out of 924 possible
    met = Counter(pair for unit in units for pair in combinations(sorted(unit), 2))
    assert len(met) == 66
    # Each pair is expected in 200 * 15 / 66 = 45 units.
    assert 20 < min(met.values()) <= max(met.values()) < 75


def test_no_document_is_favoured_by_its_place():
    """Over many draws those that stand in one unit more are everybody in turn."""
    extra = Counter()
    for seed in range(300):
        uses = np.bincount(drawn(8, 6, 1, seed).ravel(), minlength=8)
        extra.update(np.flatnonzero(uses == uses.max()).tolist())
    # 2 units of 6 hold 8 documents once and 4 of them twice: 150 expected, sd 8.7.
    assert all(100 < extra[document] < 200 for document in range(8))


def test_first_units_are_no_different_from_the_last():
    firsts, lasts = Counter(), Counter()
    for seed in range(200):
        units = drawn(20, 5, 4, seed)
        firsts.update(units[0].tolist())
        lasts.update(units[-1].tolist())
    for counts in (firsts, lasts):  # 50 expected, sd 6.1
        assert all(20 < counts[document] < 85 for document in range(20))


# --- more judges of some documents --------------------------------------------------------------
@st.composite
def batches(draw):
    per_unit = draw(st.integers(1, 9))
    documents = draw(st.integers(per_unit, 40))
    used = draw(st.lists(st.integers(0, 5), min_size=documents, max_size=documents))
    chosen = draw(st.sets(st.integers(0, documents - 1), min_size=1))
    redundancy, seed = draw(st.integers(1, 12)), draw(st.integers(0, 2**63 - 1))
    mask = np.isin(np.arange(documents), list(chosen))
    return np.array(used), mask, per_unit, redundancy, seed


def drawn_more(used, chosen, per_unit, redundancy, seed):
    return draw_more(used, chosen, per_unit, redundancy, np.random.default_rng(seed))


@settings(max_examples=100, deadline=None)
@given(batches())
def test_every_batch_is_as_it_is_asked_for(batch):
    used, chosen, per_unit, redundancy, _ = batch
    units, n = drawn_more(*batch), int(chosen.sum())
    assert units.shape == (max(redundancy, -(-n * redundancy // per_unit)), per_unit)
    assert all(len(set(unit)) == per_unit for unit in units.tolist())
    uses = np.bincount(units.ravel(), minlength=len(used))
    assert uses[chosen].min() >= redundancy
    assert np.ptp(uses[chosen]) <= 1
    others = uses[~chosen]
    assert n < per_unit or not others.any(), "others fill what the chosen cannot"
    if others.size:
        assert np.ptp(others) <= 1
        more, fewer = others == others.max(), others == others.min()
        if others.max() > others.min():
            assert used[~chosen][more].max() <= used[~chosen][fewer].min(), "the least used fill"
    assert (drawn_more(*batch) == units).all()


def test_a_batch_of_all_documents_is_as_a_plan_of_them():
    used, every = np.zeros(276, dtype=int), np.ones(276, dtype=bool)
    assert len(drawn_more(used, every, 6, 10, 1)) == units_needed(278, 10, 8) == 460


def test_no_batch_without_documents():
    with pytest.raises(ValueError, match="0 of 8 documents"):
        drawn_more(np.zeros(8, dtype=int), np.zeros(8, dtype=bool), 6, 1, 1)
