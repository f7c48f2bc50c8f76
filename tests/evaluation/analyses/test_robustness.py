"""What depends on who judged, on topics and on lists, against plain Python."""

from itertools import permutations

import pytest

from magnitudes.comparison.judge_robustness import judge_robustness
from tests.factory.arrays import analysed, table
from tests.factory.opinions import (
    graded_study,
    labels_by_judge,
    random_opinions,
    two_levels,
)


def test_measures_are_those_of_one_judge_by_the_other() -> None:
    data = random_opinions(9, judges=2)
    rows = {row[:2]: row for row in table(analysed("robustness", data), "robustness").rows}
    ours = judge_robustness(data.opinions, 0, 1)
    for name, mean, sd in zip(ours.names, ours.mean, ours.sd, strict=True):
        assert rows[(name, "two judges")][4:6] == pytest.approx((mean, sd))
        # With two judges only, the first two labels of a document are theirs.
        assert rows[(name, "two labels")][4:6] == pytest.approx((mean, sd))


def test_lists_are_good_by_first_labels_and_documents_count_as_often_as_listed() -> None:
    data = random_opinions(10, topics=3, documents=30, judges=7, runs=6)
    rows = {(row[0], row[3]): row for row in table(analysed("robustness", data), "dependence").rows}
    pairs = labels_by_judge(data)
    for depth in (5, 10):
        over, under = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
        seen = {True: 0, False: 0}
        for number, topic in enumerate(data.topics):
            for listed in topic.lists.tolist():
                given = [pairs.get((number, place), {}) for place in listed]
                first = [next(iter(judges.values()))[0] for judges in given if judges]
                good = 2 in first
                seen[good] += 1
                for judges in given[:depth]:
                    labels = [level for said in judges.values() for level in said]
                    if len(labels) < 6:
                        continue
                    for one, other in permutations(labels, 2):
                        weight = (one == 1) / len(labels) / (len(labels) - 1)
                        over[good] += weight * (other == 2)
                        under[good] += weight
        for good, name in ((True, "good"), (False, "other")):
            if seen[good] and under[good]:
                row = rows[(f"{name} lists, top {depth}", "Rel")]
                assert row[2] == seen[good]
                assert row[5] == pytest.approx(over[good] / under[good])


def test_halves_of_topics_have_all_documents_between_them() -> None:
    rows = table(analysed("robustness", graded_study(topics=7)), "dependence").rows
    seen = {
        name: sum(row[4] for row in rows if row[0] == name) for name in {row[0] for row in rows}
    }
    less, more = (seen[f"topics, {how} agreement"] for how in ("less", "more"))
    assert less + more == seen["all documents"]


def test_one_topic_has_no_others_to_learn_from() -> None:
    found = analysed("robustness", random_opinions(topics=1))
    assert [part.name for part in found.parts] == ["groups", "dependence"]


def test_of_two_levels_the_chance_after_the_lower_one_is_drawn() -> None:
    found = analysed("robustness", two_levels())
    figure = next(part for part in found.parts if part.name == "groups")
    assert {row[1] for row in figure.rows} == {"no"}
