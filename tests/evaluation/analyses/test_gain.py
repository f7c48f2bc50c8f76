"""What is said of gain: values on small studies."""

import math

import numpy as np
import pytest

from evaluation.presentation.parts import Figure, Result, Table
from evaluation.study.data import StudyData
from tests.acceptance.naive import mean, median
from tests.factory.arrays import analysed, make_study, make_topic, random_study
from web.drawing.charts import Plot


def rows(of: Result, kind: type[Figure] | type[Table]) -> list[dict[str, object]]:
    (part,) = (part for part in of.parts if isinstance(part, kind))
    return [dict(zip(part.columns, row, strict=True)) for row in part.rows]


def multiples(data: StudyData, anchors: bool = True) -> dict[str, list[float]]:
    """The scores over that of N_k, by level."""
    found: dict[str, list[float]] = {}
    for topic in data.topics:
        for places, scores in zip(topic.places.tolist(), topic.scores.tolist(), strict=True):
            of_n_k = scores[places.index(topic.n_k)]
            for place, score in zip(places, scores, strict=True):
                if anchors or place not in (topic.h_k, topic.n_k):
                    label = topic.labels[place]
                    level = "U (unlabelled)" if math.isnan(label) else f"{label:g}"
                    found.setdefault(level, []).append(score / of_n_k)
    return found


def test_profiles_by_level() -> None:
    data = random_study(3, topics=2)
    table = rows(analysed("profiles", data), Table)
    for name, anchors in (("all", True), ("without anchors", False)):
        expected = multiples(data, anchors)
        assert {str(row["level"]) for row in table if row["documents"] == name} == {*expected}
        for row in (row for row in table if row["documents"] == name):
            of = expected[str(row["level"])]
            assert row["n"] == len(of)
            assert row["median"] == pytest.approx(median(of))
            assert row["above"] == sum(value > 20 for value in of)
            if row["level"] == "U (unlabelled)":
                assert all(np.isnan(float(str(row[name]))) for name in ("linear", "exponential"))
                continue
            level = int(str(row["level"]))
            assert (row["linear"], row["exponential"]) == (level + 1, 2 ** (level + 1))


def test_a_level_that_nobody_used_is_not_drawn() -> None:
    found = analysed("profiles", random_study(levels=(0, 3), topics=2, labelled=1.0))
    used = {row["group"] for row in _drawn(found)}
    assert len(used) == 2


def _drawn(of: Result) -> list[dict[str, object]]:
    (figure,) = (part for part in of.parts if isinstance(part, Figure))
    return figure.data["boxes"]


def test_boxes_are_drawn_whole_on_an_axis_that_has_room_for_them() -> None:
    scores = [[1, 400, 2, 100], [1, 300, 5, 90], [1, 500, 3, 80]]
    data = make_study(make_topic(scores, np.tile([0, 1, 2, 3], (3, 1)), [0, 3, 1, 2]))
    found = analysed("profiles", data)
    boxes = {str(row["group"])[0]: row for row in _drawn(found)}
    assert [boxes["3"][name] for name in ("q1", "median", "q3", "high")] == [350, 400, 450, 500]
    (figure,) = (part for part in found.parts if isinstance(part, Figure))
    assert isinstance(figure.chart, Plot)
    gain = figure.chart.marks[0].y
    assert gain
    assert gain.kind == "log"
    assert gain.domain
    assert gain.domain[0] < 1
    assert gain.domain[1] > 500
    assert "> 20: 3" in str(boxes["3"]["group"])


def test_ratios_of_the_papers_scale() -> None:
    data = random_study(5, topics=3)
    expected: list[list[float]] = [[], [], []]
    for topic in data.topics:
        for scores, levels in zip(topic.scores, topic.shown_labels, strict=True):
            h, r, m = (scores[levels == level].tolist() for level in (3, 2, 1))
            expected[0] += [a / b for a in h for b in r]
            expected[1] += [a / b for a in h for b in r + m if m]
            expected[2] += [a / b for a in h + r for b in m]
    found = analysed("ratios", data)
    table = [row for row in rows(found, Table) if row["documents"] == "all"]
    assert [row["levels"] for row in table] == ["3 / 2", "3 / 1–2", "2–3 / 1"]
    for row, ratios in zip(table, expected, strict=True):
        assert row["n"] == len(ratios)
        assert row["median"] == pytest.approx(median(ratios))
        assert row["mean"] == pytest.approx(mean(ratios))
        assert row["above"] == sum(round(ratio, 9) > 3.5 for ratio in ratios)
    assert [row["paper's_median"] for row in table] == [1.0, 1.0, 1.14]
    without = [row for row in rows(found, Table) if row["documents"] == "without anchors"]
    assert [row["paper's_mean"] for row in (*table, *without)] == [48, 22, 24, None, None, None]


def test_one_ratio_on_a_scale_of_three_levels() -> None:
    found = analysed("ratios", random_study(5, levels=(0, 1, 2)))
    assert [row["levels"] for row in rows(found, Figure)] == ["2 / 1"]
