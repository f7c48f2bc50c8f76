"""What is said of time: values on small studies, and no stumbling over strange ones."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.analyses import of_study
from tests.evaluation.analyses.making import analysed, make_study, make_topic, random_study, table
from tests.evaluation.analyses.texts_made import WITH_TEXTS, with_texts

NAMES = ["reading"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", WITH_TEXTS.values(), ids=WITH_TEXTS)
def test_strange_studies(name, make):
    data = make()
    if name not in of_study(data.study):
        return
    kept = analysed(name, data).kept()
    assert kept["says"]
    assert not any("not defined" in said or "nan" in said.split() for said in kept["says"])
    assert len({part["name"] for part in kept["parts"]}) == len(kept["parts"])
    for part in kept["parts"]:
        assert "not defined" not in part["says"]
        assert part["rows"], part["name"]
        assert all(len(row) == len(part["columns"]) for row in part["rows"])
        if part["kind"] == "table" and any(cell is None for row in part["rows"] for cell in row):
            assert "dash" in " ".join(part["notes"]), part["name"]


# --- reading ----------------------------------------------------------------------------------


def times(data, a, b):
    """The same study, with a s for a word and b s besides, half of it more for odd workers."""
    topics = [
        replace(
            topic,
            seconds=(a * data.lengths[number][topic.codes[topic.places]] + b)
            * (1 + topic.workers[:, np.newaxis] % 2 / 2),
        )
        for number, topic in enumerate(data.topics)
    ]
    return replace(data, topics=topics)


def test_the_line_is_that_of_first_views():
    data = times(with_texts(random_study(units=30)), 0.2, 10)
    data = replace(data, topics=[replace(t, workers=np.arange(30)) for t in data.topics])
    found = analysed("reading", data)
    words = np.concatenate([data.lengths[0][t.codes[t.places]].ravel() for t in data.topics])
    slope, intercept = np.polyfit(words, data.seconds, 1)
    assert (found.numbers["slope"], found.numbers["intercept"]) == pytest.approx((slope, intercept))
    rows = {row[0]: row for row in table(found, "lines").rows}
    for topic in data.topics:
        of = np.polyfit(data.lengths[0][topic.places].ravel(), topic.seconds.ravel(), 1)
        assert (rows[topic.query_id][3], rows[topic.query_id][5]) == pytest.approx(tuple(of))
        assert rows[topic.query_id][2] == 30


def test_documents_seen_before_and_near_duplicates_are_apart():
    """One worker judges the topic's only unit and one of another topic, then another worker."""
    text = "one and the same words " * 9
    topics = [
        make_topic([[1, 2, 3, 4]], [[0, 1, 2, 3]], [0, 3, 1, 1], query_id=query, workers=[worker])
        for query, worker in (("401", 0), ("402", 0), ("403", 1))
    ]
    topics = [replace(topic, doc_ids=["A", "B", "C", "D"]) for topic in topics]
    topics[1] = replace(topics[1], doc_ids=["E", "C", "F", "G"], finished=np.array([60.0]))
    data = with_texts(make_study(*topics), B=text, D=text, G="something else")
    found = analysed("reading", data)
    rows = {row[0]: row for row in table(found, "lines").rows}
    # D is like B, in 401 and in 403; C was seen on 401.
    assert (rows["first views"][1], rows["repeated"][1]) == (9, 3)
    assert [rows[query][-1] for query in ("401", "402", "403")] == [2, 0, 2]


def test_what_comes_later_is_what_is_repeated():
    topics = [
        make_topic([[1, 2, 3, 4]], [[0, 1, 2, 3]], [0, 3, 1, 1], query_id=query, workers=[0])
        for query in ("401", "402")
    ]
    first, second = (replace(topic, doc_ids=["A", "B", "C", "D"]) for topic in topics)
    first = replace(first, finished=np.array([99.0]))
    rows = table(analysed("reading", with_texts(make_study(first, second))), "lines").rows
    assert [row[1] for row in rows] == [4, 4, 4, 0, 4]


def test_long_views_are_counted_and_left_out_beside():
    data = times(with_texts(random_study(units=30)), 0.1, 20)
    data.topics[0].seconds[0, 0] = 3000
    found = analysed("reading", data)
    rows = {row[0]: row for row in table(found, "lines").rows}
    assert rows["first, up to 10 minutes"][1] == rows["first views"][1] - 1
    assert "1 view of over 10 minutes is counted" in " ".join(found.says)
    assert rows["first, up to 10 minutes"][8] < rows["first views"][8]


def test_least_seconds_and_missing_texts_are_said():
    data = with_texts(random_study(), [100, float("nan"), 200, 300], units=30)
    said = " ".join(analysed("reading", data).says)
    assert "may have less than 20 s" in said
    assert "without a text" in said
    data.study.minimum_seconds = 0
    assert "asks for no least number" in " ".join(analysed("reading", data).says)
    assert "no texts" in analysed("reading", random_study()).says[0]


def test_predictions_are_of_units_left_out():
    data = with_texts(random_study(units=30))
    rows = table(analysed("reading", data), "predictions").rows
    assert [row[0] for row in rows] == ["one line", "one line a topic"]
    assert all(row[1] + row[2] == rows[0][1] for row in rows)
    assert all(row[-1] == data.seed for row in rows)
