"""What is learnt from it that judges differ: values on small studies, none of them a stumble."""

from itertools import permutations

import pytest

from evaluation.study import levels
from evaluation.study.data import StudyData
from tests.factory.arrays import analysed, random_study, table
from tests.factory.opinions import (
    graded_study,
    imported_study,
    random_opinions,
)

NAMES = ["weights", "prediction", "consistency", "robustness", "users", "aspects"]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_says_the_same(name: str) -> None:
    assert (
        analysed(name, random_opinions()).to_json() == analysed(name, random_opinions()).to_json()
    )


# --- in plain Python --------------------------------------------------------------------------
def chances(data: StudyData, least: int = 2) -> dict[int, float]:
    """p(T|i), every label for itself: the mean over documents, weighed by shares of labels."""
    top = len(data.study.levels) - 1
    over: dict[int, float] = {}
    under: dict[int, float] = {}
    labels: dict[tuple[str, int], list[int]] = {}
    for topic in data.topics:
        assert topic.opinions
        for place, level in zip(topic.opinions.places, topic.opinions.levels, strict=True):
            if level >= 0:
                labels.setdefault((topic.query_id, int(place)), []).append(int(level))
    for given in labels.values():
        if len(given) < max(least, 2):
            continue
        for one, other in permutations(given, 2):
            weight = 1 / len(given) / (len(given) - 1)
            over[one] = over.get(one, 0) + weight * (other == top)
            under[one] = under.get(one, 0) + weight
    return {level: over[level] / under[level] for level in under}


def test_the_papers_reading_counts_every_label_for_itself() -> None:
    data = random_opinions(3, times=2)
    rows = table(analysed("weights", data), "levels").rows
    for counted, least in ((levels.MANY, 6), (levels.ALL, 2)):
        found = {row[1]: row[3] for row in rows if row[0] == counted}
        for level, p in chances(data, least).items():
            assert found[data.study.levels[level]] == pytest.approx(p)
    assert {row[0] for row in rows} == {levels.MANY, levels.ALL, levels.APART}
    apart = [row[3] for row in rows if row[0] == levels.APART]
    assert apart != [row[3] for row in rows if row[0] == levels.MANY]


def test_weights_are_those_of_the_papers_equation() -> None:
    data = random_opinions(4)
    [row] = [
        row
        for row in table(analysed("weights", data), "levels").rows
        if row[:2] == (levels.ALL, "Rel")
    ]
    p = row[3]
    assert row[6:9] == pytest.approx([1 - (1 - p) ** (n - 1) for n in (2, 3, 4)])
    assert row[9] == pytest.approx(p**2)
    assert row[10] == pytest.approx(3 * p**2 * (1 - p) + p**3)
    assert row[4] < p < row[5]


def test_levels_of_a_study_judged_here_with_and_without_anchors() -> None:
    for data in (graded_study(), random_study(topics=6)):
        rows = table(analysed("weights", data), "levels").rows
        seen = {
            name: sum(row[2] for row in rows if row[0] == name) for name in (row[0] for row in rows)
        }
        anchors = 2 * len(data.units)
        assert seen[levels.ALL] - seen[levels.OTHERS] == anchors


def test_scores_are_cut_at_thresholds_that_are_shown() -> None:
    data = random_study(topics=2)
    found = table(analysed("weights", data), "thresholds")
    for topic, row in zip(data.topics, found.rows, strict=True):
        low, high = topic.gains[topic.n_k], topic.gains[topic.h_k]
        assert row[0] == topic.query_id
        assert (row[1], row[-1]) == (low, high)
        assert row[2:5] == pytest.approx([low * (high / low) ** (at / 6) for at in (1, 3, 5)])
    assert not [
        part for part in analysed("weights", graded_study()).parts if part.name == "thresholds"
    ]


def test_one_aspect_is_taken_and_said() -> None:
    data = random_opinions(aspects=("snippet", "page"))
    assert levels.aspects(data) == ["page", "snippet"]
    assert len(levels.opinions(data).items) == len(data.opinions.items) / 2


def test_who_shares_most_documents() -> None:
    rows = [(0, 5, 1), (0, 6, 2), (1, 6, 0), (1, 7, 1), (2, 6, 1), (2, 7, 2), (2, 7, 0)]
    found = levels.best_two(imported_study([rows]).opinions)
    assert found.judges == [(0, 6, 7, 2)]
    assert found.opinions.items.tolist() == [0, 1, 1, 2, 2, 2]
    assert found.opinions.judges.tolist() == [0, 0, 1, 0, 1, 1]
    assert levels.best_two(imported_study([rows]).opinions, 2).judges == []


def test_the_first_two_labels_of_a_document_are_of_two_people() -> None:
    rows = [(0, 5, 1), (0, 5, 2), (0, 6, 0), (0, 7, 2), (1, 6, 1), (1, 6, 0)]
    found = levels.first_two(imported_study([rows]).opinions)
    assert sorted(zip(found.items, found.judges, found.levels, strict=True)) == [
        (0, 0, 1),
        (0, 1, 0),
        (1, 0, 1),
    ]


# --- prediction -------------------------------------------------------------------------------
def test_what_is_seen_by_all_draws_of_labels() -> None:
    data = random_opinions(5, topics=8, documents=20, judges=5)
    found = analysed("prediction", data)
    rows = {row[:2]: row for row in table(found, "predicted").rows}
    least = _least(data)
    assert rows[("1/3", "Rel")][5] == pytest.approx(_seen(data, 3, least, 1))
    assert rows[("2/3", "Rel")][5] == pytest.approx(_seen(data, 3, least, 2))
    p = chances(data, least)[1]
    assert rows[("1/3", "Rel")][2] == pytest.approx(1 - (1 - p) ** 2)
    assert rows[("1/3", "Rel")][8:] == (0.49, 0.51)
    assert rows[("1/3", "Non")][8:] == (None, None)


def _least(data: StudyData) -> int:
    """The most labels, up to six, that a hundred documents have."""
    labels = data.opinions.counts.sum(axis=1)
    return max(n for n in (3, 4, 5, 6) if (labels >= n).sum() >= 100)


def _seen(data: StudyData, n: int, least: int, of: int) -> float:
    """Share of all ordered draws of n labels that begin with Rel in which `of` are HRel."""
    counted = drawn = 0.0
    for topic in data.topics:
        assert topic.opinions
        for place in range(len(topic.doc_ids)):
            levels = topic.opinions.levels[topic.opinions.places == place]
            given = levels[levels >= 0].tolist()
            if len(given) < least:
                continue
            every = list(permutations(given, n))
            begin = [draw for draw in every if draw[0] == 1]
            drawn += len(begin) / len(every)
            counted += sum(draw.count(2) >= of for draw in begin) / len(every)
    return counted / drawn


def test_best_documents_that_are_expected_and_found() -> None:
    data = random_opinions(6, topics=8, documents=20, judges=5)
    figure = next(part for part in analysed("prediction", data).parts if part.name == "tops")
    for topic, row in zip(data.topics, figure.rows, strict=True):
        assert topic.opinions
        one = found = 0.0
        for place in range(len(topic.doc_ids)):
            levels = topic.opinions.levels[topic.opinions.places == place]
            given = levels[levels >= 0].tolist()
            if len(given) >= _least(data):
                every = list(permutations(given, 3))
                one += given.count(2) / len(given)
                found += sum(2 in draw for draw in every) / len(every)
        assert row[2:4] == pytest.approx((one, found))


def test_nobody_says_less_than_the_best() -> None:
    best = imported_study([[(d, j, 2) for d in range(20) for j in range(6)]] * 2)
    found = analysed("prediction", best)
    assert "users" not in {part.name for part in found.parts}
    assert {row[5] for row in table(found, "predicted").rows if row[1] == "HRel"} == {1}


def test_documents_are_those_with_two_judges() -> None:
    data = graded_study(4, topics=1, units=8, documents=40)
    two, labels = levels.two_judges(data.opinions).sum(), data.opinions.counts.sum(axis=1)
    assert 0 < two < (labels > 1).sum()
    assert f"from {two} documents (all documents), with" in analysed("weights", data).sentences[0]
