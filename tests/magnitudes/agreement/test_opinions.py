import numpy as np
import pytest

from magnitudes.agreement import AgreementError
from magnitudes.agreement.opinions import Opinions

GOOD = {"items": [0, 0, 2], "levels": [2, 1, -1], "judges": [0, 1, 0], "topic_of_item": [0, 0, 1]}


def test_counts_are_of_every_item_and_level_and_missing_ones_are_none():
    said = Opinions(**GOOD, n_levels=4)
    assert said.counts.tolist() == [[0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert said.given.items.tolist() == [0, 0]
    assert said.given.counts.tolist() == said.counts.tolist()
    assert said.where(np.array([True, False, True])).levels.tolist() == [2, -1]


def test_nothing_was_said():
    said = Opinions([], [], [], 2, [])
    assert said.counts.shape == (0, 2)
    assert said.n_items == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("items", [0, 0, 3], "items: 3 at place 2 is not from 0 to 2"),
        ("items", [-1, 0, 1], "items: -1 at place 0 is not from 0 to 2"),
        ("items", [[0, 0, 1]], r"items must be one list, not of shape \(1, 3\)"),
        ("levels", [0, 3, 0], "levels: 3 at place 1 is not from -1 to 2"),
        ("levels", [0, -2, 0], "levels: -2 at place 1 is not from -1 to 2"),
        ("levels", [0.0, 1.0, 2.0], "levels must be whole numbers, not float64"),
        ("levels", [0, 1], r"levels must be one list of 3, not of shape \(2,\)"),
        ("judges", [0, -1, 0], "judges: -1 at place 1 is not from 0"),
        ("topic_of_item", [0, -1, 0], "topic_of_item: -1 at place 1 is not from 0"),
        ("n_levels", 1, "n_levels: a scale has at least 2 levels, not 1"),
    ],
)
def test_what_does_not_fit_is_named(name, value, message):
    with pytest.raises(AgreementError, match=message):
        Opinions(**{**GOOD, "n_levels": 3, name: value})
