import numpy as np
import pytest
from scipy import stats

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.resampling import by_topics

VALUES = np.random.default_rng(6).random((8, 10)) / 2 + np.linspace(0, 0.5, 10)


def test_all_topics_agree_with_themselves():
    found = by_topics(VALUES, [8], 20)
    assert found.taus.tolist() == [[1] * 20]
    assert found.overlaps.tolist() == [[1] * 20]


def test_more_topics_agree_better():
    found = by_topics(VALUES, range(1, 9), 300, seed=5)
    assert found.taus.shape == (8, 300)
    assert (np.diff(found.taus.mean(axis=1)) > 0).all()
    assert found.seed == 5


def test_one_topic_is_any_of_them():
    means = VALUES.mean(axis=0)
    each = [stats.kendalltau(means, row).statistic for row in VALUES]
    found = by_topics(VALUES, [1], 200)
    np.testing.assert_allclose(np.unique(found.taus.round(9)), np.unique(np.round(each, 9)))
    assert np.isnan(found.overlaps).all()


def test_the_bootstrap_takes_topics_twice():
    found = by_topics(VALUES, [8, 20], 50, replace=True)
    assert (found.taus[0] < 1).any()
    assert found.taus.shape == (2, 50)


def test_parts_keep_within_their_size(monkeypatch):
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 1)
    assert not np.isnan(by_topics(VALUES, [3], 5).taus).any()


@pytest.mark.parametrize("number", [0, 9])
def test_numbers_that_cannot_be_drawn(number):
    with pytest.raises(ComparisonError, match=f"{number} of 8 topics"):
        by_topics(VALUES, [number])


def test_nothing_to_compare():
    assert by_topics(VALUES[:, :1], [2], 3).reason == "an order needs at least 2 systems, not 1"
    assert by_topics(np.ones((3, 2)), [2], 3).reason == "all values of the reference list are equal"
    found = by_topics(np.empty((0, 4)), [], 3)
    assert (found.reason, found.taus.shape) == ("there is no topic", (0, 3))
