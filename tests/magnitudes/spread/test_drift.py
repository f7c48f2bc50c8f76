import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from magnitudes.comparison.interval import t_interval
from magnitudes.scaling import ScalingError
from magnitudes.spread.drift import against_others, grouped_mean

nan = float("nan")
rows = st.lists(
    st.tuples(st.floats(-100, 100) | st.just(nan), st.integers(0, 3), st.integers(0, 4)),
    max_size=40,
)


judged = st.lists(st.tuples(st.floats(-50, 50), st.integers(0, 4), st.integers(0, 3)), max_size=30)


@given(judged)
def test_a_value_is_held_against_the_mean_of_the_others(rows):
    logs = np.array([value for value, _, _ in rows])
    items, judges = (np.array([row[n] for row in rows], int) for n in (1, 2))
    for place, y in enumerate(against_others(logs, items, 5, judges)):
        others = [v for v, item, who in rows if item == items[place] and who != judges[place]]
        expected = logs[place] - sum(others) / len(others) if others else nan
        assert y == pytest.approx(expected, abs=1e-12, nan_ok=True)


def plainly(y, groups, clusters, group):
    """Mean, ends, values and workers of one group, by the formula."""
    some = [(v, c) for v, g, c in zip(y, groups, clusters, strict=True) if g == group and v == v]
    if not some:
        return [nan, nan, nan, 0, 0, nan]
    mean = sum(v for v, _ in some) / len(some)
    workers = {c for _, c in some}
    if len(workers) < 2:
        return [mean, nan, nan, len(some), len(workers), nan]
    meat = sum(sum(v - mean for v, c in some if c == worker) ** 2 for worker in workers)
    error = (len(workers) / (len(workers) - 1) * meat) ** 0.5 / len(some)
    margin = stats.t.ppf(0.975, len(workers) - 1) * error
    away = abs(mean) / error if error > 0 else 0
    p = 2 * stats.t.sf(away, len(workers) - 1)
    return [mean, mean - margin, mean + margin, len(some), len(workers), p]


@given(rows)
def test_it_is_the_plain_formula(some):
    y, groups, clusters = ([row[n] for row in some] for n in range(3))
    found = grouped_mean(y, np.array(groups, int), np.array(clusters, int), 4)
    for group in range(4):
        expected = plainly(y, groups, clusters, group)
        assert [column[group] for column in found] == pytest.approx(
            expected, rel=1e-9, abs=1e-9, nan_ok=True
        )


def test_with_one_value_a_worker_it_is_students_interval():
    y = np.random.default_rng(1).normal(size=20)
    found = grouped_mean(y, np.zeros(20, int), np.arange(20) * 1000, 1)
    assert (found.mean, found.low, found.high) == pytest.approx(t_interval(y))


def test_workers_who_go_on_like_themselves_widen_the_interval():
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(20), 50)
    y = rng.normal(size=20)[clusters] + 0.1 * rng.normal(size=1000)
    found = grouped_mean(y, np.zeros(1000, int), clusters, 1)
    alone = grouped_mean(y, np.zeros(1000, int), np.arange(1000), 1)
    assert found.mean == alone.mean
    assert found.high - found.low > 5 * (alone.high - alone.low)


def test_the_interval_holds_as_often_as_it_says():
    rng = np.random.default_rng(3)
    held = []
    for _ in range(400):
        clusters = rng.integers(0, 15, 100)
        y = rng.normal(size=15)[clusters] + rng.normal(size=100)
        found = grouped_mean(y, np.zeros(100, int), clusters, 1)
        held.append(found.low[0] <= 0 <= found.high[0])
    assert 0.9 < np.mean(held) < 0.98


def squared_error(off, keys):
    sums = [sum(off[n] for n in range(len(off)) if keys[n] == key) for key in set(keys)]
    return len(sums) / (len(sums) - 1) * sum(s * s for s in sums) / len(off) ** 2


@pytest.mark.parametrize("seed", range(20))
def test_two_ways_are_the_sum_less_what_is_in_both(seed):
    rng = np.random.default_rng(seed)
    clusters, items = rng.integers(0, 6, 30).tolist(), rng.integers(0, 4, 30).tolist()
    y = rng.normal(size=6)[clusters] + rng.normal(size=30)
    found = grouped_mean(y, np.zeros(30, int), clusters, 1, items)
    pairs = list(zip(clusters, items, strict=True))
    workers, documents, both = (
        squared_error(y - y.mean(), keys) for keys in (clusters, items, pairs)
    )
    total = workers + documents - both
    squared = total if total > 0 else max(workers, documents)
    margin = stats.t.ppf(0.975, min(len(set(clusters)), len(set(items))) - 1) * squared**0.5
    assert (found.high - found.mean)[0] == pytest.approx(margin)


def test_two_ways_without_a_positive_sum_are_the_larger_one():
    y, workers, items = np.array([1.0, -1, -1, 1, 2]), [0, 0, 1, 1, 1], [0, 1, 0, 1, 1]
    off = y - y.mean()
    by_worker, by_item = squared_error(off, workers), squared_error(off, items)
    assert by_worker + by_item < squared_error(off, list(zip(workers, items, strict=True)))
    found = grouped_mean(y, np.zeros(5, int), workers, 1, items)
    margin = stats.t.ppf(0.975, 1) * max(by_worker, by_item) ** 0.5
    assert found.high[0] - found.mean[0] == pytest.approx(margin)


def test_a_group_with_one_item_is_clustered_by_worker_alone():
    y, clusters = np.random.default_rng(1).normal(size=9), np.arange(9) // 2
    one_way = grouped_mean(y, np.zeros(9, int), clusters, 1)
    assert grouped_mean(y, np.zeros(9, int), clusters, 1, np.zeros(9, int)) == one_way


def test_what_cancels_out_within_items_does_not_widen_the_interval():
    """Groups that have most of an item's values, without any difference."""
    rng = np.random.default_rng(5)
    items, workers = np.tile(np.arange(20), 15), np.repeat(np.arange(15), 20)
    one_way, two_ways = [], []
    for _ in range(300):
        y = against_others(rng.normal(size=300), items, 20, workers)
        groups = (rng.random(300) < 0.2).astype(int)
        for out, by in ((one_way, None), (two_ways, items)):
            found = grouped_mean(y, groups, workers, 2, by)
            out.append(found.low[0] > 0 or found.high[0] < 0)
    assert np.mean(one_way) < 0.01
    assert 0.02 < np.mean(two_ways) < 0.09


def test_a_group_of_nearly_all_values_does_not_seem_to_differ_by_chance():
    """The difference of large variances comes near 0 now and then, and p with it."""
    rng = np.random.default_rng(6)
    items, workers = np.tile(np.arange(20), 15), np.repeat(np.arange(15), 20)
    p = []
    for _ in range(2000):
        y = against_others(rng.normal(size=300), items, 20, workers)
        p.append(grouped_mean(y, (rng.random(300) < 0.05).astype(int), workers, 2, items).p[0])
    assert np.mean(np.array(p) < 0.001) <= 0.004
    assert 0.01 < np.mean(np.array(p) < 0.05) < 0.09


def test_nothing_at_all():
    found = grouped_mean([], [], [], 2)
    assert np.isnan(found.mean).all()
    assert found.counts.tolist() == found.clusters.tolist() == [0, 0]
    assert grouped_mean([nan], [1], [0], 2).counts.tolist() == [0, 0]
    assert against_others([], [], 3, []).size == 0


@pytest.mark.parametrize(
    ("y", "groups", "clusters", "fault"),
    [
        ([np.inf], [0], [0], "finite"),
        ([1], [1], [0], "groups must lie from 0 to 0"),
        ([1], [0], [-1], "clusters must lie"),
        ([1, 2], [0, 0], [0], "clusters must hold one code"),
    ],
)
def test_what_cannot_be_answered_is_refused(y, groups, clusters, fault):
    with pytest.raises(ScalingError, match=fault):
        grouped_mean(y, groups, clusters, 1)


def test_a_score_of_zero_has_no_logarithm():
    with pytest.raises(ScalingError, match="place 1 is not a finite"):
        against_others([0.0, -np.inf], [0, 0], 1, [0, 1])
