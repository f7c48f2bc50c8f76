"""Every judgment of a document, and how far two of them differ, against plain Python."""

from itertools import combinations

import numpy as np
import pytest

from evaluation.analyses.disagreement.drawn_judgments import MAX_DOCUMENTS
from evaluation.analyses.disagreement.every_judgment import MAX_TOPICS
from evaluation.analyses.disagreement.judgment_grid import MOST_DOCUMENTS, MOST_JUDGES
from evaluation.study.data import StudyData
from tests.factory.arrays import analysed, part, random_study, table
from tests.factory.opinions import graded_study, imported_study


def plainly(data: StudyData, of_topic: int, first: int = 10) -> float:
    """The mean over documents but anchors of the mean difference of two of their first values."""
    judgments, means = data.judgments, []
    for item in np.flatnonzero((data.documents.topics == of_topic) & ~data.documents.is_anchor):
        values = judgments.normalised[judgments.items == item][:first]
        if not data.study.is_graded:
            values = np.log(values)
        pairs = [abs(a - b) for a, b in combinations(values.tolist(), 2)]
        means += [np.mean(pairs)] if pairs else []
    return float(np.mean(means) if data.study.is_graded else np.exp(np.mean(means)))


@pytest.mark.parametrize("make", [lambda: random_study(2, topics=3), graded_study])
def test_how_far_two_judgments_of_a_document_differ(make) -> None:
    data = make()
    rows = table(analysed("every_judgment", data), "topics").rows
    expected = [plainly(data, place) for place in range(len(data.topics))]
    assert [row[-1] for row in rows] == pytest.approx(expected)


def test_dots_are_judgments_of_some_documents_of_some_topics() -> None:
    """Of more documents than fit those from the lowest gain to the highest, and all they have."""
    rng = np.random.default_rng(3)
    topics = [
        [(d, judge, int(rng.integers(0, 3))) for d in range(70) for judge in range(3)]
        for _ in range(MAX_TOPICS + 2)
    ]
    found = analysed("every_judgment", imported_study(topics))
    rows = part(found, "judgments").rows
    by_topic = {row[0]: {r[3] for r in rows if r[0] == row[0]} for row in rows}
    assert len(by_topic) == MAX_TOPICS
    assert all(len(places) == MAX_DOCUMENTS for places in by_topic.values())
    assert all({1, 70} <= places for places in by_topic.values())
    assert len(rows) == MAX_TOPICS * MAX_DOCUMENTS * 3


@pytest.mark.parametrize("make", [lambda: random_study(2, topics=3), graded_study])
def test_a_grid_has_what_each_judge_gave_and_found_best(make) -> None:
    data = make()
    grid = part(analysed("every_judgment", data), "grid")
    rows = [dict(zip(grid.columns, row, strict=True)) for row in grid.rows]
    differ = [plainly(data, place) for place in range(len(data.topics))]
    topic = data.topics[int(np.argmax(differ))]
    judges = {row["judge"] for row in rows}
    assert topic.query_id in grid.title
    assert 2 <= len(judges) <= MOST_JUDGES
    assert len({(row["judge"], row["place"]) for row in rows}) == len(rows)
    assert len({row["place"] for row in rows}) <= MOST_DOCUMENTS
    for judge in judges:
        of_judge = [row for row in rows if row["judge"] == judge]
        assert len({row["given"] for row in of_judge if row["best"]}) == 1
    assert {row["doc_id"] for row in rows} <= set(topic.doc_ids)
