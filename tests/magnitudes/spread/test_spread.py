import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.scaling import ScalingError
from magnitudes.spread.spread import spread

scored = st.lists(st.tuples(st.integers(0, 4), st.floats(1e-6, 1e6)), max_size=40)


@given(scored)
def test_it_is_that_of_each_group(pairs):
    items, values = np.array([i for i, _ in pairs], int), np.array([v for _, v in pairs])
    found = spread(values, items, 5)
    for item in range(5):
        group = values[items == item]
        assert found.counts[item] == len(group)
        if len(group) < 2:
            assert np.isnan([found.ratio[item], found.geometric_sd[item], found.sd[item]]).all()
        else:
            assert found.ratio[item] == group.max() / group.min()
            assert found.geometric_sd[item] == pytest.approx(np.exp(np.std(np.log(group), ddof=1)))
            assert found.sd[item] == pytest.approx(
                np.std(group, ddof=1), rel=1e-9, abs=1e-14 * group.max()
            )


@given(scored, st.randoms())
def test_the_order_of_arrival_makes_no_difference_to_the_last_bit(pairs, random):
    other = random.sample(pairs, len(pairs))
    one, two = (
        spread([v for _, v in some], np.array([i for i, _ in some], int), 5)
        for some in (pairs, other)
    )
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, two, strict=True))


def test_nothing_at_all():
    assert np.isnan(spread([], [], 1).sd).all()
    assert spread([], [], 0).counts.size == 0


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf])
def test_what_is_no_score_is_refused(value):
    with pytest.raises(ScalingError, match="place 1 is not a positive finite number"):
        spread([1, value], [0, 0], 1)


@pytest.mark.parametrize("items", [[0], [0, 2], [0, -1], [0.0, 1.0]])
def test_what_is_no_item_is_refused(items):
    with pytest.raises(ScalingError, match="items"):
        spread([1, 2], items, 2)
