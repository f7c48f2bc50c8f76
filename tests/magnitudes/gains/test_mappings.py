import math

import numpy as np
import pytest

from magnitudes.gains import GainError
from magnitudes.gains.levels import linear
from magnitudes.gains.mappings import MAPPINGS, mapped
from magnitudes.measures.by_rank.ndcg import ndcg

PRINTED = {
    "C": [0, 1, 2, 3],
    "100C": [0, 100, 200, 300],
    "1+C": [1, 2, 3, 4],
    "10+C": [10, 11, 12, 13],
    "100+C": [100, 101, 102, 103],
    "10^(1+C)": [10, 100, 1000, 10_000],
    "2^(1+C)": [2, 4, 8, 16],
}


def test_the_mappings_of_the_table():
    assert list(MAPPINGS) == list(PRINTED)
    for name, gains in PRINTED.items():
        found = mapped([[0, 1, 2, 3]], name)
        assert found.values.tolist() == [gains]
        assert found.negative == 0


@pytest.mark.parametrize("name", list(MAPPINGS))
def test_negative_labels_are_level_0_first(name):
    found = mapped([-2, 0, -1.5], name)
    assert found.values.tolist() == mapped([0, 0, 0], name).values.tolist()
    assert found.negative == 2


def test_a_constant_factor_changes_no_ndcg():
    """The table's second row: tau 1 with nDCG."""
    labels = np.random.default_rng(1).integers(0, 4, (8, 20))
    values = [
        ndcg(mapped(labels, name).values, mapped(labels[0], name).values.repeat(2))
        for name in ("C", "100C")
    ]
    np.testing.assert_allclose(*values, rtol=1e-14)


def test_levels_between():
    assert mapped([0.5], "10+C").values.tolist() == [10.5]
    assert mapped([2.5], "C").values.tolist() == linear([2.5]).values.tolist()


@pytest.mark.parametrize("name", ["10^(1+C)", "2^(1+C)", "100C"])
def test_gains_that_are_no_doubles(name):
    with pytest.raises(GainError, match="no finite number"):
        mapped([0, 1e308], name)


@pytest.mark.parametrize("label", [math.nan, math.inf])
def test_labels_that_are_no_numbers(label):
    with pytest.raises(GainError, match="not a finite number"):
        mapped([0, label], "1+C")


def test_an_unknown_mapping():
    with pytest.raises(GainError, match=r"unknown mapping 'C\^2'; there are C, 100C"):
        mapped([1], "C^2")
