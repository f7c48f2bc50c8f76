"""Every analysis of opinions that were given elsewhere, on studies of which little can be said."""

import numpy as np
import pytest

from evaluation.study.data import StudyData
from tests.factory.arrays import analysed, table
from tests.factory.opinions import (
    imported_study,
)


def test_topics_of_one_judge_have_no_alpha() -> None:
    found = analysed("topics", imported_study([[(d, 0, d % 3) for d in range(3)]] * 2))
    assert found.sentences[0] == "2 topics; alpha is not defined on any."
    assert not [part.name for part in found.parts if part.name == "side-by-side"]
    assert np.isnan([row[4:] for row in table(found, "topics").rows]).all()


def never_the_best() -> StudyData:
    """Levels that two judges gave, of four; lists that are in another order by each gain."""
    rows = [(d, j, (d + j * (d % 2)) % 3) for d in range(6) for j in range(2)]
    lists = [[2, 5, 1, 0], [0, 1, 2, 3], [3, 0, 4, 2]]
    return imported_study([rows] * 3, lists=lists, levels=["Non", "Rel", "HRel", "Key"])


@pytest.mark.parametrize("name", ["weights", "prediction", "users"])
def test_chances_of_what_nobody_said_are_none(name: str) -> None:
    found = analysed(name, never_the_best())
    assert found.sentences == [
        "Nobody has given Key, so that nothing can be told of the chance that others do."
    ]
    assert not found.parts


def test_gains_by_chances_of_what_nobody_said_are_left_out() -> None:
    found = analysed("definitions", never_the_best())
    why = "udm:1/3: no opinion has the level Key, so that the gain of every document is 0."
    assert f"Left out: {why}" in found.sentences
    assert why in " ".join(table(found, "definitions").notes)
    assert "udm:1/3" not in [row[0] for row in table(found, "definitions").rows]


def test_combined_levels_of_what_nobody_said_are_none() -> None:
    rows = [(d, j, d % 2) for d in range(4) for j in range(2) for _ in range(2)]
    found = analysed("aspects", imported_study([rows], aspects=[["snippet", "page"] * 8]))
    assert found.sentences[0].startswith(
        "Of snippet and page together: nobody has given HRel for both,"
    )


def test_no_order_is_not_the_same_order() -> None:
    """The only level above the lowest is one of a document that judges differ on: WG is 0."""
    rows = [(d, j, 2 * (d != 1 and j < 2)) for d in range(3) for j in range(3)]
    found = analysed("definitions", imported_study([rows] * 2, lists=[[0, 2, 1], [1, 0, 2]]))
    (weighted,) = (row for row in table(found, "definitions").rows if row[0] == "weighted")
    assert np.isnan([weighted[4], weighted[7]]).all()
    assert "is the same under exponential, udm:1/3, raw, unanimity:0.2." in " ".join(
        found.sentences
    )
    notes = " ".join(table(found, "definitions").notes)
    assert "all values of the ranking by weighted are equal" in notes
