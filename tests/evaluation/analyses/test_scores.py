"""What is said of scores, order, workers and topics; here of scores, and of strange studies."""

import dataclasses
import doctest
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from evaluation.analyses.scores import distribution_curves
from evaluation.presentation import dot_strips
from evaluation.study.data import StudyData
from judging.numbers import parse_score
from magnitudes.spread import ratio_rule
from magnitudes.spread.spread import is_extreme
from tests.factory.arrays import (
    STRANGE,
    analysed,
    make_study,
    make_topic,
    random_study,
    table,
)


def test_equal_scores_have_no_effect_of_order() -> None:
    equal = STRANGE["all scores equal"]()
    for effect in table(analysed("order", equal), "intervals").rows:
        if effect[0] == "score":
            assert effect[5:] == (1, 1, 1, 1, False)


# --- distributions ----------------------------------------------------------------------------


def test_distributions_by_topic() -> None:
    data = random_study()
    for name, values in (("raw", "scores"), ("normalised", "normalised")):
        rows = table(analysed("distributions", data), f"{name}-table").rows
        assert [row[0] for row in rows] == ["all", "401", "402", "403"]
        for row, topic in zip(rows[1:], data.topics, strict=True):
            scores = getattr(topic, values).ravel()
            logs = np.log(scores)
            assert row[1:6] == pytest.approx(
                (len(scores), scores.mean(), scores.std(ddof=1), logs.mean(), logs.std(ddof=1))
            )


def test_round_numbers_before_and_after() -> None:
    """Normalised: 1, 2, 5, 10 and 2, 4, 10, 20 become the same, times the root of 2."""
    places = [[0, 1, 2, 3]] * 2
    data = make_study(make_topic([[1, 2, 5, 10], [2, 4, 10, 20]], places, [0, 1, 0, 1]))
    found = analysed("distributions", data)
    assert table(found, "raw-table").rows[0][6:10] == (1 / 8, 2 / 8, 1 / 8, 2 / 8)
    assert table(found, "normalised-table").rows[0][6:10] == (0, 0, 0, 0)


def test_a_curve_is_drawn_within_its_range_from_end_to_end() -> None:
    scores = np.array([1e-5, 0.5, 0.5, 3.0, 1e7])
    marks = distribution_curves.marks({"all": scores}, 200, distribution_curves.RANGE)
    steps = [(mark["score"], mark["share"]) for mark in marks["steps"]]
    assert steps == [(0.01, 0.2), (0.5, 0.6), (3.0, 0.8), (100.0, 0.8)]
    assert all(0.01 <= mark["score"] <= 100 for rows in marks.values() for mark in rows)


# --- numbers ----------------------------------------------------------------------------------


def made_of(*units: str, **of: Any) -> StudyData:
    """One topic, its units as they were typed, each over the same documents."""
    texts = [unit.split() for unit in units]
    scores = [[parse_score(text) for text in unit] for unit in texts]
    places = [list(range(len(texts[0])))] * len(texts)
    topic = make_topic(scores, places, [0.0, 1.0, *[0.0] * (len(texts[0]) - 2)], **of)
    return make_study(dataclasses.replace(topic, texts=np.array(texts, dtype=object)))


def test_ratios_are_those_of_the_numbers_as_typed() -> None:
    """0.1 : 0.3 is 3, and 2/3 : 1/3 is 2, though their doubles are not; 54 : 76 fails."""
    data = made_of("0.1 0.3 0.6", "1/3 2/3 1", "10 15 20", "54 76 54", "1 1.01 2")
    rows = table(analysed("numbers", data), "rule").rows
    assert [row[:4] for row in rows] == [(1, 2, 5, 0.4), (2, 3, 5, 0.6), (3, 4, 5, 0.8)]
    assert [row[4] for row in rows] == [
        pytest.approx(0.51, abs=0.005),
        pytest.approx(0.68, abs=0.005),
        None,
    ]


def test_one_number_written_in_two_ways_is_one() -> None:
    data = made_of("0.5 1/2 .5", "½ 3 200", "1/3 0.015 101")
    found = analysed("numbers", data)
    (used,) = (part for part in found.parts if part.name == "most-used")
    assert used.rows[0] == ("0.5", 4, 4 / 9, 2)
    assert {row[0] for row in used.rows} == {"0.5", "3", "200", "1/3", "0.015", "101"}
    kinds = {row[0]: row[1:3] for row in table(found, "kinds").rows}
    assert kinds == {
        "whole numbers": (3, 3),
        "below 1": (3, 6),
        "one significant figure": (3, 6),
        "two significant figures": (1, 1),
        "three or more": (1, 1),
        "decimals without end": (1, 1),
        "written as a fraction": (2, 3),
    }


def test_the_farthest_pairs_and_units_are_listed_with_what_was_said() -> None:
    data = made_of("1 2 3 4", "0.0001 2 3 4", "1 9000 9000 9000", "1 2 3 5000000", query_id="7")
    found = analysed("numbers", data)
    units = table(found, "extreme-units").rows
    assert [row[0] for row in units] == ["7-4", "7-4", "7-2", "7-2"]
    assert units[0] == ("7-4", "worker-3", 5e6, "smallest", "1", "D7-000", "N_k", "Page 1 of 7003.")
    assert units[3][3:] == ("largest", "4", "D7-003", "other", "Page 4 of 7001.")
    ratios = {
        data.doc_ids[place]: scores.max() / scores.min()
        for data in data.topics
        for place in range(4)
        for scores in [data.normalised[data.places == place]]
    }
    listed = {row[1]: row[4] for row in table(found, "extreme-pairs").rows}
    assert listed == pytest.approx({doc: ratio for doc, ratio in ratios.items() if ratio >= 1e4})


def test_what_is_extreme_is_so_everywhere_but_for_rounding() -> None:
    largest = 0.3 / (0.1 + 0.2) * 1e4
    assert largest < 1e4
    assert is_extreme(np.array([largest, 9999.9, 1e4])).tolist() == [True, False, True]


def test_nothing_is_listed_where_nothing_is_extreme() -> None:
    found = analysed("numbers", made_of("1 2 3", "10 20 30"))
    assert [part.name for part in found.parts if part.name.startswith("extreme")] == []


@pytest.mark.parametrize(
    "module", [distribution_curves, ratio_rule, dot_strips], ids=lambda m: m.__name__
)
def test_examples(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert (failed, tried > 0) == (0, True)
