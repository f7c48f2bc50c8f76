from itertools import combinations

import numpy as np
import pytest

from magnitudes.agreement import judges
from magnitudes.agreement.judges import error_by_judges
from magnitudes.scaling import ScalingError


def crowd(n_items=40, per_item=10):
    rng = np.random.default_rng(1)
    items = np.repeat(np.arange(n_items), per_item)
    return rng.lognormal(rng.normal(size=n_items)[items]), items


def plainly(values, k):
    """Every choice of k values there is."""
    of_all = np.median(values)
    return [abs(np.log(np.median(some) / of_all)) for some in combinations(values, k)]


def test_it_comes_to_what_every_choice_gives():
    values = [1.0, 2, 5, 7, 30]
    found = error_by_judges(values, [0] * 5, 1, 5, 20_000, [0.3, 0.5, 0.8], seed=1)
    for k in range(1, 6):
        every = plainly(values, k)
        # Few distinct errors: a quantile may come to lie on either side of a step.
        low = np.quantile(every, [0.28, 0.48, 0.78], method="lower")
        high = np.quantile(every, [0.32, 0.52, 0.82], method="higher")
        assert (low <= found.quantiles[k - 1] + 1e-6).all()
        assert (found.quantiles[k - 1] <= high + 1e-6).all()
        assert found.means[k - 1] == pytest.approx(np.mean(every), abs=0.02)
    assert (found.items, found.draws, found.seed) == (1, 20_000, 1)


def test_more_judges_err_less_and_all_not_at_all():
    values, items = crowd()
    error = error_by_judges(values, items, 40, seed=2).quantiles
    assert (error[0] > 2 * error[6]).all()
    assert (error[-1] == 0).all()
    assert (error[:, 1] >= error[:, 0]).all()


def test_items_with_fewer_values_are_left_out():
    values, items = crowd()
    more = error_by_judges([*values, 3, 1000], [*items, 40, 40], 42, seed=2)
    assert more.items == 40
    assert (more.quantiles == error_by_judges(values, items, 40, seed=2).quantiles).all()


def test_an_item_with_more_values_is_drawn_upon_whole():
    found = error_by_judges([1, 2, 4, 8, 16], [0] * 5, 1, 1, 500, [0, 1], seed=1)
    assert found.quantiles[0] == pytest.approx([0, np.log(4)])


def test_the_seed_decides():
    values, items = crowd()
    one, same, other = (error_by_judges(values, items, 40, seed=seed) for seed in (1, 1, 2))
    assert (one.quantiles == same.quantiles).all()
    assert (one.quantiles != other.quantiles).any()


def test_draws_are_fewer_where_there_are_very_many_items(monkeypatch):
    monkeypatch.setattr(judges, "AT_MOST", 250)
    assert error_by_judges(*crowd(), 40, seed=1).draws == 6


def test_nobody_to_draw_from_gives_nan():
    found = error_by_judges([1, 2], [0, 1], 2, judges=2, seed=1)
    assert np.isnan(found.quantiles).all()
    assert found.items == 0
    assert np.isnan(error_by_judges([], [], 0, seed=1).quantiles).all()


@pytest.mark.parametrize(
    ("values", "options", "fault"),
    [
        ([0], {}, "positive finite"),
        ([1], {"judges": 0}, "one judge"),
        ([1], {"draws": 0}, "one draw"),
        ([1], {"quantiles": [1.5]}, "from 0 to 1"),
        ([1], {"quantiles": 0.5}, "list of numbers"),
    ],
)
def test_what_cannot_be_answered_is_refused(values, options, fault):
    with pytest.raises(ScalingError, match=fault):
        error_by_judges(values, [0], 1, seed=1, **options)
