"""The crowd beside two label sets, against what is said of each alone."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.study.data import StudyData
from tests.factory.arrays import analysed, make_study, part, random_study, table


def two_sets(data: StudyData) -> StudyData:
    """The second one says of the upper half of the levels that they are relevant, of none more."""
    topics = [
        replace(topic, other_labels={"binary": np.where(topic.labels > 1, 1.0, 0.0)})
        for topic in data.topics
    ]
    return make_study(*topics)


def test_each_label_set_is_as_it_is_alone() -> None:
    data = two_sets(random_study(3))
    binary = make_study(*(replace(t, labels=t.other_labels["binary"]) for t in data.topics))
    found = analysed("label_sets", data)
    rows = {row[0]: row[1:] for row in table(found, "sets").rows}
    assert [*rows] == ["reference", "binary"]
    for name, alone in (("reference", data), ("binary", binary)):
        units = {row[0]: row for row in table(analysed("labels", alone), "units-table").rows}
        without = units["without anchors"]
        assert rows[name][2:] == pytest.approx((without[4], *without[6:9]))
        medians = {row[0]: row[2] for row in table(analysed("levels", alone), "by-level").rows}
        boxes = {row[1]: row[5] for row in part(found, "levels").rows if row[0] == name}
        assert boxes == pytest.approx({level: medians[level] for level in boxes})


def test_what_cannot_be_held_beside_the_others_is_left_out() -> None:
    data = two_sets(random_study(3))
    same = [replace(t, other_labels={**t.other_labels, "same": t.labels * 0}) for t in data.topics]
    found = analysed("label_sets", make_study(*same))
    assert [row[0] for row in table(found, "sets").rows] == ["reference", "binary"]
    assert "Left out: same, with a single level" in found.sentences[1]
    alone = analysed("label_sets", random_study(3))
    assert not alone.parts
