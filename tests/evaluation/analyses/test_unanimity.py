"""What is said of unanimity: gains of documents and orders of systems, against plain loops."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy.stats import kendalltau

from evaluation.analyses.disagreement import ratings
from evaluation.study.data import StudyData
from magnitudes.gains.named import parse
from tests.factory.arrays import analysed, random_study, table
from tests.factory.opinions import (
    graded_study,
    imported_study,
    random_opinions,
)

Make = Callable[..., StudyData]
LEVELS = ["L0", "L1", "L2", "L3"]
# Table 1 of the paper: ratings, RawG, D, WG, UG with p = 0.2.
PAPER = [
    ("22222", 10, 0, 10.0, 13),
    ("11233", 10, 2, 3.3, 11),
    ("02233", 10, 3, 0.0, 10),
    ("11111", 5, 0, 5.0, 8),
    ("00003", 3, 3, 0.0, 3),
    ("00002", 2, 2, 0.7, 3),
    ("00001", 1, 1, 0.7, 3),
]


def said(*texts: str, lists: list[list[int]] | None = None) -> StudyData:
    """One topic, a document for each text, whose digits are the levels that judges give."""
    rows = [
        (document, judge, int(level))
        for document, text in enumerate(texts)
        for judge, level in enumerate(text)
    ]
    return imported_study([rows], lists=lists or [], levels=LEVELS)


def test_the_worked_table_of_the_paper() -> None:
    found = analysed("unanimity", said(*(row[0] for row in PAPER)))
    rows = {row[1]: row for row in table(found, "documents").rows}
    for place, (text, raw, spread, weighted, aware) in enumerate(PAPER):
        row = rows[f"D401-{place:03}"]
        assert row[2] == " ".join(text)
        assert row[3:5] == (raw, spread)
        assert row[5] == pytest.approx(weighted, abs=0.05)
        assert row[6] == pytest.approx(aware)
    assert found.numbers["n"] == 5
    assert found.numbers["unanimous"] == pytest.approx(2 / 7)


def test_documents_with_fewer_ratings_are_marked_and_counted() -> None:
    found = analysed("unanimity", said("222", "12", "333", "2", "3331", "000"))
    rows = {row[1]: row for row in table(found, "documents").rows}
    assert rows["D401-001"][2:] == (
        "1 2",
        4.5,
        1.0,
        *map(pytest.approx, (3.0, 5.7)),
        2,
        "fewer than N",
    )
    assert rows["D401-004"][2:5] == ("3 3 3", 9.0, 0.0)
    assert rows["D401-004"][7:] == (4, "")
    assert "D401-003" not in rows  # one rating cannot be unanimous


@pytest.mark.parametrize("make", [random_opinions, graded_study, random_study])
def test_tau_of_orders_against_plain_loops(make: Make) -> None:
    data = make(3, topics=6, runs=8)
    rated = ratings.rated(data)
    raw, weighted, aware = rated.gains.raw, rated.gains.weighted, rated.gains_at(0.5).aware

    def means(gains: np.ndarray) -> list[float]:
        """nG@1 of every run, over topics."""
        found = np.zeros((len(data.topics), len(data.runs)))
        for row, topic in enumerate(data.topics):
            of = dict(zip(topic.codes.tolist(), gains[data.offsets[row] :].tolist(), strict=False))
            best = max(gain for gain in of.values() if not math.isnan(gain))
            for run, codes in enumerate(topic.lists.tolist()):
                gain = of.get(codes[0], 0.0)
                found[row, run] = 0.0 if math.isnan(gain) or not best else gain / best
        return found.mean(axis=0).round(12).tolist()

    rows = {row[:2]: row for row in table(analysed("unanimity", data), "taus").rows}
    for name, gains in (("WG", weighted), ("UG, p = 0.5", aware)):
        expected = kendalltau(means(raw), means(gains)).statistic
        assert rows["nG@1", name][2] == pytest.approx(expected)


@pytest.mark.parametrize("make", [random_opinions, graded_study, random_study])
def test_gains_are_those_of_the_same_name(make: Make) -> None:
    data = make(4, topics=3)
    rated = ratings.rated(data)
    said = data.opinions if data.study.is_graded else data.magnitudes
    for name, gains in (
        ("raw", rated.gains.raw),
        ("weighted", rated.gains.weighted),
        ("unanimity:0.2", rated.gains.aware),
    ):
        wanted = data.study.max_counted_judgments
        np.testing.assert_array_equal(parse(name, wanted).gains(said), gains)


def test_ratings_that_all_agree_change_no_order() -> None:
    lists = [[0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0]]
    found = analysed("unanimity", said("333", "222", "111", "000", lists=lists))
    taus = [row for row in table(found, "taus").rows if "nobody" not in row[1]]
    assert {row[2] for row in taus if row[1] == "WG"} == {1.0}


def test_discrepancies_are_counted_as_they_are_listed() -> None:
    data = graded_study(1, topics=12, runs=10)
    found = analysed("unanimity", data)
    listed = [row[0] for row in table(found, "discrepancies").rows]
    assert listed
    for row in table(found, "taus").rows:
        if row[1] == "UG, p = 0.2":
            assert row[7] == listed.count(row[0])
    for row in table(found, "discrepancies").rows:
        assert (row[3] < 0.05) != (row[6] < 0.05)
        assert row[4] > 0


def test_ratings_that_are_drawn_do_not_agree() -> None:
    data = random_opinions(2, topics=8)
    rated = ratings.rated(data)
    chances = [
        (max(draw) - min(draw)) for draw in np.ndindex(*[rated.steps + 1] * rated.n)
    ]  # each as likely
    assert rated.simulated_spread.mean() == pytest.approx(np.mean(chances), abs=0.15)
    made = rated.simulated(0)
    assert made.short.tolist() == rated.gains.short.tolist()
    assert not made.raw[~rated.relevant & (rated.counts > 0)].any()


def test_few_ratings_are_held_against_as_few() -> None:
    """D of two ratings is smaller than that of six, whether people agree or not."""
    two, six = ((high - low for low, high in _ends(n)) for n in (2, 6))
    data = imported_study([[(d, j, 1) for d in range(900) for j in range(6 if d < 500 else 2)]])
    expected = (500 * np.mean([*six]) + 400 * np.mean([*two])) / 900
    assert ratings.rated(data).n == 6
    assert ratings.rated(data).simulated_spread.mean() == pytest.approx(expected, abs=0.05)


def _ends(n: int) -> Iterator[tuple[int, int]]:
    return ((min(draw), max(draw)) for draw in np.ndindex(*[3] * n))


def test_magnitudes_are_unanimous_if_they_have_one_level() -> None:
    data = random_study(2, topics=4)
    rated = ratings.rated(data)
    first: dict[int, list[int]] = {}
    for item, level in zip(
        data.judgments.items.tolist(), data.opinions.levels.tolist(), strict=True
    ):
        if level >= 0:
            first.setdefault(item, []).append(level)
    several = [levels[: rated.n] for levels in first.values() if len(levels) > 1]
    share = np.mean([len(set(levels)) == 1 for levels in several])
    assert 0 < share < 1
    said = " ".join(analysed("unanimity", data).sentences)
    assert f"Rounded to 4 levels, {100 * share:.1f}% of documents have ratings" in said


def test_what_the_paper_expects_is_compared() -> None:
    found = analysed("unanimity", random_opinions(3, topics=8, runs=8))
    rows = {row[:2]: row[2] for row in table(found, "taus").rows}
    names = {name for name, _ in rows}
    more = sum(rows[name, "UG, p = 0.2"] < rows[name, "UG, nobody agrees"] for name in names)
    assert f"changes more than that by {more} of 4 measures" in " ".join(found.sentences)
