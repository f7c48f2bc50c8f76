"""Every analysis of opinions that were given elsewhere, on studies of which little can be said."""

import numpy as np

from evaluation.study.data import StudyData
from tests.factory.arrays import analysed, table
from tests.factory.opinions import (
    imported_study,
)


def test_topics_of_one_judge_have_no_alpha() -> None:
    found = analysed("topics", imported_study([[(d, 0, d % 3) for d in range(3)]] * 2))
    assert not [part.name for part in found.parts if part.name == "side-by-side"]
    assert np.isnan([row[4:] for row in table(found, "topics").rows]).all()


def never_the_best() -> StudyData:
    """Levels that two judges gave, of four; lists that are in another order by each gain."""
    rows = [(d, j, (d + j * (d % 2)) % 3) for d in range(6) for j in range(2)]
    lists = [[2, 5, 1, 0], [0, 1, 2, 3], [3, 0, 4, 2]]
    return imported_study([rows] * 3, lists=lists, levels=["Non", "Rel", "HRel", "Key"])


def test_gains_by_chances_of_what_nobody_said_are_left_out() -> None:
    found = analysed("definitions", never_the_best())
    assert "udm:1/3" not in [row[0] for row in table(found, "definitions").rows]


def test_no_order_is_not_the_same_order() -> None:
    """The only level above the lowest is one of a document that judges differ on: WG is 0."""
    rows = [(d, j, 2 * (d != 1 and j < 2)) for d in range(3) for j in range(3)]
    found = analysed("definitions", imported_study([rows] * 2, lists=[[0, 2, 1], [1, 0, 2]]))
    (weighted,) = (row for row in table(found, "definitions").rows if row[0] == "weighted")
    assert np.isnan([weighted[4], weighted[7]]).all()
