import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.pairs import mean_over_topics, pair_agreement
from magnitudes.scaling import ScalingError

nan = float("nan")
documents = st.lists(
    st.tuples(st.sampled_from([nan, 0.1, 1, 2.5, 7]), st.sampled_from([nan, 0, 1, 3])), max_size=30
)


@given(documents)
def test_it_is_the_plain_count(some):
    values, labels = [v for v, _ in some], [c for _, c in some]
    found = pair_agreement(values, labels, [0, 1, 3])
    everything = []
    for low, high in ((0, 1), (0, 3), (1, 3)):
        right = [v <= w for v, c in some if c == low for w, d in some if d == high if v + w > 0]
        row, column = [0, 1, 3].index(low), [0, 1, 3].index(high)
        assert found.pairs[row, column] == len(right)
        assert found.shares[row, column] == pytest.approx(
            np.mean(right) if right else nan, nan_ok=True
        )
        everything += right
    assert found.all_pairs == len(everything)
    expected = np.mean(everything) if everything else nan
    assert found.overall == pytest.approx(expected, nan_ok=True)
    assert np.isnan(found.shares[np.tril_indices(3)]).all()


def test_values_that_are_equal_but_for_rounding_agree():
    assert pair_agreement([0.1 + 0.2, 0.3], [0, 1], [0, 1]).overall == 1
    assert pair_agreement([0.3 + 1e-9, 0.3], [0, 1], [0, 1]).overall == 0


def test_a_crowd_of_documents_at_random_agrees_half_the_time():
    rng = np.random.default_rng(1)
    found = pair_agreement(rng.lognormal(size=100_000), rng.integers(0, 4, 100_000), range(4))
    assert found.shares[np.triu_indices(4, 1)] == pytest.approx(np.full(6, 0.5), abs=0.01)


def test_a_level_that_nobody_used_and_one_document_per_level():
    found = pair_agreement([1e-9, 1e12], [0, 2], [0, 1, 2])
    assert found.shares[0, 2] == 1
    assert np.isnan([found.shares[0, 1], found.shares[1, 2]]).all()
    assert np.isnan(pair_agreement([1, 2], [1, 1], [0, 1]).overall)
    assert np.isnan(pair_agreement([], [], [0, 1]).overall)


@given(st.lists(st.lists(st.floats(0, 1) | st.just(nan), min_size=3, max_size=3), min_size=1))
def test_the_mean_over_topics_is_that_of_those_with_a_value(rows):
    mean, topics = mean_over_topics(rows)
    for column, values in enumerate(zip(*rows, strict=True)):
        defined = [value for value in values if value == value]
        assert topics[column] == len(defined)
        assert mean[column] == pytest.approx(np.mean(defined) if defined else nan, nan_ok=True)


@pytest.mark.parametrize(
    ("values", "labels", "levels", "fault"),
    [
        ([1], [0, 1], [0, 1], "one length"),
        ([1, np.inf], [0, 1], [0, 1], "finite"),
        ([1, 2], [0, 5], [0, 1], "label 5 is none of the levels"),
        ([1, 2], [0, 1], [1, 0], "ascending"),
        ([1, 2], [0, 1], [0, 0, 1], "ascending"),
    ],
)
def test_what_cannot_be_answered_is_refused(values, labels, levels, fault):
    with pytest.raises(ScalingError, match=fault):
        pair_agreement(values, labels, levels)
