"""What is said of more topics and more judges: only what the intervals decide."""

import dataclasses

import pytest

from evaluation.analyses.study.data import StudyData
from tests.factory.arrays import analysed, random_study, table


@pytest.fixture(scope="module")
def data() -> StudyData:
    return random_study(4, topics=9, runs=5, labelled=1.0)


def test_below_eight_topics_nothing_is_said() -> None:
    found = analysed("enough", random_study(1, topics=7, runs=5))
    assert found.says[0].startswith("Cannot say yet")
    assert found.numbers == {"add": "cannot say"}
    assert not found.parts


def test_what_to_add_follows_from_the_interval_alone(data: StudyData) -> None:
    found = analysed("enough", data)
    numbers = found.numbers
    low, high = numbers["share_of_topics_low"], numbers["share_of_topics_high"]
    decided = "topics" if low > 0.5 else "judges" if high < 0.5 else "cannot say"
    assert numbers["add"] == decided
    row = next(row for row in table(found, "sizes").rows if row[:2][0] == 18)
    widths = tuple(numbers[f"half_width_twice_topics{end}"] for end in ("", "_low", "_high"))
    assert row[2:5] == widths
    assert widths[1] <= widths[0] <= widths[2]


def test_every_share_of_pairs_has_its_interval(data: StudyData) -> None:
    found = analysed("enough", data)
    sizes = {row[:2]: row[5:8] for row in table(found, "sizes").rows}
    rows = table(found, "told-apart").rows
    assert len(rows) == 27
    for row in rows:
        assert row.low <= row.high
        assert row.share in sizes[row.topics, row.judges]
    assert f"({100 * rows[1].low:.0f}% to {100 * rows[1].high:.0f}%)" in found.says[2]


@pytest.mark.parametrize(
    ("in_collection", "in_study", "says"),
    [
        (12, 12, "The collection has no more topics"),  # of which nine have a completed unit
        (12, 9, "The collection has no more than 3 more topics."),
        (100, 12, ""),
    ],
)
def test_whether_there_are_more_topics_is_asked_of_the_collection(
    data: StudyData, in_collection: int, in_study: int, says: str
) -> None:
    sized = dataclasses.replace(data, topics_there=in_collection, topics_of_study=in_study)
    found = analysed("enough", sized)
    assert found.numbers["no_more_topics"] is (in_collection == in_study)
    assert [text.startswith(says) for text in found.says if "collection" in text] == (
        [True] if says else []
    )
