import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from magnitudes.agreement.workers import distinct_values, worker_agreement
from magnitudes.scaling import ScalingError
from magnitudes.spread.drift import against_others

judged = st.lists(
    st.tuples(st.sampled_from([-2.0, 0, 0.7, 1.1, 2.3]), st.integers(0, 5), st.integers(0, 3)),
    max_size=60,
)


@given(judged)
def test_it_is_scipys_for_each_worker(rows):
    logs = np.array([row[0] for row in rows])
    items, workers = (np.array([row[n] for row in rows], int) for n in (1, 2))
    found = worker_agreement(logs, items, workers, 6, 4)
    off = against_others(logs, items, 6, workers)
    for worker in range(4):
        own = (workers == worker) & ~np.isnan(off)
        one, other = logs[own], (logs - off)[own].round(9)
        assert found.pairs[worker] == own.sum()
        if own.any():
            assert found.deviation[worker] == pytest.approx(np.abs(off[own]).mean())
        else:
            assert np.isnan(found.deviation[worker])
        if len(set(one)) > 1 and len(set(other)) > 1:
            expected = stats.spearmanr(one, other).statistic
            assert found.correlation[worker] == pytest.approx(expected, abs=1e-12)
        else:
            assert np.isnan(found.correlation[worker])


def test_nobody_is_held_against_what_they_said_before():
    """The second worker gave everything twice, and agrees with the first in nothing."""
    logs = [0.0, 1, 2, 2, 1, 0, 2, 1, 0]
    found = worker_agreement(logs, [0, 1, 2] * 3, [0] * 3 + [1] * 6, 3, 2)
    assert found.correlation == pytest.approx([-1, -1])
    assert found.deviation == pytest.approx([4 / 3, 4 / 3])
    alone = worker_agreement([0.0, 1, 0, 1], [0, 1, 0, 1], [0] * 4, 2, 1)
    assert np.isnan([alone.correlation[0], alone.deviation[0]]).all()
    assert alone.pairs.tolist() == [0]


def test_a_careless_worker_stands_out():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=50)
    logs = truth + 0.3 * rng.normal(size=(6, 50))
    logs[5] = rng.normal(size=50)
    found = worker_agreement(
        logs.ravel(), np.tile(np.arange(50), 6), np.repeat(np.arange(6), 50), 50, 7
    )
    assert found.correlation[:5].min() > 0.8 > 0.4 > found.correlation[5]
    assert found.deviation[:5].max() < found.deviation[5]
    assert np.isnan(found.correlation[6])
    assert found.pairs.tolist() == [50] * 6 + [0]


def test_one_tiny_score_does_not_decide():
    logs = np.array([np.log(1e-9), 1, 2, 3, 0.5, 1, 2, 3])
    found = worker_agreement(logs, [0, 1, 2, 3] * 2, [0] * 4 + [1] * 4, 4, 2)
    assert found.correlation == pytest.approx([1, 1])


def test_what_is_no_logarithm_is_refused():
    with pytest.raises(ScalingError, match="not a finite number"):
        worker_agreement([np.nan], [0], [0], 1, 1)


@given(st.lists(st.tuples(st.sampled_from([0.5, 1, 2, 10]), st.integers(0, 3)), max_size=30))
def test_different_values_are_counted(pairs):
    found = distinct_values([v for v, _ in pairs], np.array([g for _, g in pairs], int), 4)
    assert found.tolist() == [len({v for v, g in pairs if g == group}) for group in range(4)]
