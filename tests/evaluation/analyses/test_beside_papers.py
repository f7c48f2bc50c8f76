"""What stands beside the papers' numbers: the same quantity in the same form, or said to be not."""

import math
import re
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from evaluation.analyses import ANALYSES, of_study, papers
from evaluation.analyses.papers import Place
from evaluation.analyses.quantities import Compared
from evaluation.analyses.systems import best_units
from evaluation.models import CachedAnalysis
from evaluation.pages import replication
from evaluation.presentation import published
from evaluation.study.data import StudyData
from judging.models import Study
from tests.factory import NOON
from tests.factory.arrays import make_study, random_study
from tests.factory.opinions import graded_study, random_opinions
from tests.factory.texts import with_texts

# What needs a database: the overview's table, and verdicts. `groups` needs lists of systems.
FROM_DATABASE = {papers.TABLE_I, "differences"}
NOT_MEASURED = {"nDCG@10"}  # by the discount of the paper on time
COMPARED = [
    place
    for paper in papers.PAPERS
    for place in paper.places
    if place.compare and place.analysis not in FROM_DATABASE and place.parts != ("groups",)
]


@cache
def judged() -> StudyData:
    """Magnitudes of people on seven topics, with texts and two sets of labels."""
    made = random_study(3, topics=7, units=40, documents=30, runs=9, labelled=1.0)
    topics = [
        replace(
            topic,
            other_labels={"binary": np.where(topic.labels > 1, 1.0, 0.0)},
            workers=np.arange(len(topic.workers)) % 12,
        )
        for topic in made.topics
    ]
    return with_texts(make_study(*topics), np.tile([100, 300], 40))


@cache
def labelled() -> StudyData:
    """Levels that judges gave three times each elsewhere."""
    return random_opinions(2, topics=10, documents=40, judges=6, times=3)


@cache
def result_of(name: str, of: Any, crowd: str) -> Any:
    """crowd: another one than the study's; empty: that."""
    data = of()
    study = copy(data.study)
    study.crowd = crowd or study.crowd
    return ANALYSES[name].of(replace(data, study=study))


def kept(name: str, of: Any, crowd: str = "") -> CachedAnalysis:
    result = result_of(name, of, crowd)
    return CachedAnalysis(
        name=name,
        titles={part["name"]: part["says"] for part in result["parts"]},
        thumbnails={p["name"]: p["thumbnail"] for p in result["parts"] if "thumbnail" in p},
        numbers=result["numbers"],
        finding=ANALYSES[name].finding(result),
        computed_at=NOON,
    )


def pair(place: Place, of: Any = judged, **settings: Any) -> replication.Pair:
    study = Study(slug="made", crowd="people", **settings)
    return replication.pair(study, place, {place.analysis: kept(place.analysis, of)})


def maker(place: Place) -> Any:
    """A study that has what the place shows: of people who gave magnitudes, or of labels."""
    return judged if place.analysis in of_study(judged().study) else labelled


@pytest.mark.parametrize("place", COMPARED, ids=lambda place: f"{place.analysis}-{place.name}")
def test_the_same_quantity_stands_beside_that_of_the_paper(place: Place) -> None:
    """Each in the form of the paper, with the difference, and whether ours includes theirs."""
    one = pair(place, maker(place))
    assert one.state == replication.SAME
    assert {of.quantity for of in one.compared} == {
        of.quantity for of in place.compare
    } - NOT_MEASURED
    for of in one.compared:
        assert ("%" in of.theirs.text) == ("%" in of.ours.text), of
        assert of.difference.number == of.ours.number - of.theirs.number
        assert math.isfinite(of.difference.number)
        if of.is_inside is None:
            assert not of.interval
        else:
            assert of.is_inside == (of.ours.low <= of.theirs.number <= of.ours.high)


def test_no_number_of_a_place_stands_in_words_alone_where_it_can_be_compared() -> None:
    """What papers print and no study has: of made ratings, of clicks, of kinds of topics."""
    in_words = {
        (place.analysis, place.name)
        for paper in papers.PAPERS
        for place in paper.places
        if not place.compare and re.search(r"\.\d|\d\d", place.theirs)
    }
    assert in_words == {
        ("resampling", "Figure 12"),
        ("aspects", "Table 4"),
        ("reading", "Table 1"),
        ("reading", "Figure 2"),
        ("reader", "Figure 4"),
        ("unanimity", "Table 1"),
    }


def test_another_quantity_and_none_are_said_to_be_such() -> None:
    (place,) = (place for _, place in papers.places_of("profiles"))
    other = pair(papers.MAGNITUDES.places[2])
    assert (other.is_same, other.state) == (False, replication.OTHER)
    none = replication.pair(Study(slug="made", crowd="people"), place, {})
    assert (none.ours, none.state) == ([], replication.NONE)


def test_where_numbers_are_not_known_the_sentence_is_of_another_quantity() -> None:
    """Levels have no deviation, and no alpha of ratios, that is held against the paper's."""
    for name, at in (("judges", "Figure 9"), ("internal", "Section 6.1.1")):
        place = next(place for _, place in papers.places_of(name) if place.name == at)
        one = pair(place, graded_study)
        assert (one.compared, one.state) == ([], replication.OTHER)


@pytest.mark.parametrize(
    "place",
    [place for place in COMPARED if place.analysis in of_study(Study(crowd="people"))],
    ids=lambda place: f"{place.analysis}-{place.name}",
)
def test_of_artificial_workers_stands_our_picture_alone(place: Place) -> None:
    row = kept(place.analysis, judged, "artificial")
    one = replication.pair(Study(slug="made", crowd="artificial"), place, {row.name: row})
    assert one.compared == []
    assert one.state == replication.OTHER
    assert one.pictures
    assert "of-paper" not in "".join(picture.svg for picture in one.pictures)


def test_the_papers_values_are_drawn_in_our_pictures() -> None:
    drawn = {
        (place.analysis, place.name)
        for place in COMPARED
        if "of-paper" in "".join(one.svg for one in pair(place, maker(place)).pictures)
    }
    assert drawn == {(place.analysis, place.name) for place in COMPARED}


def test_a_difference_has_an_interval_where_the_paper_gives_its_error() -> None:
    place = next(place for _, place in papers.places_of("robustness") if place.name == "Table 2")
    one = pair(place, labelled)
    first, (theirs, ours) = one.compared[0], errors_of_ap()
    half = 1.96 * math.hypot(theirs, ours)
    assert (first.difference.low, first.difference.high) == pytest.approx(
        (first.difference.number - half, first.difference.number + half), rel=1e-3
    )
    assert not one.gives_no_error
    assert all(of.difference.has_interval for of in one.compared)


def errors_of_ap() -> tuple[float, float]:
    """Standard errors of AP of two judges: the paper's, and ours by its table."""
    (table,) = (
        part
        for part in ANALYSES["robustness"].of(labelled())["parts"]
        if part["name"] == "robustness"
    )
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    ap = next(row for row in rows if row["measure"] == "AP" and row["labels_of"] == "two judges")
    theirs = published.value("mutual_sd.AP") / math.sqrt(published.value("judged_twice"))
    return theirs, ap["sd"] / math.sqrt(ap["topics"])


def test_chances_in_good_lists_are_those_of_the_table() -> None:
    """Of judges who gave magnitudes, whose documents systems have listed."""
    place = next(place for _, place in papers.places_of("robustness") if place.name == "Table 3")
    one = pair(place)
    table = [row for row in rows("robustness", "dependence") if row["group"].startswith("good")]
    chances = {(row["group"][-2:].strip(), row["level"]): row["p"] for row in table}
    levels = list(dict.fromkeys(row["level"] for row in table))
    expected = [chances[key] for key in (("5", levels[-2]), ("10", levels[-2]), ("10", levels[-3]))]
    assert [of.ours.number for of in one.compared] == expected
    assert one.state == replication.SAME


def rows(name: str, part: str) -> list[dict[str, Any]]:
    """Those of a figure or table, by column."""
    (found,) = (one for one in ANALYSES[name].of(judged())["parts"] if one["name"] == part)
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def compared(name: str, at: str) -> dict[str, Compared]:
    one = pair(next(place for _, place in papers.places_of(name) if place.name == at))
    return {of.quantity: of for of in one.compared}


def test_what_is_compared_is_what_the_tables_have() -> None:
    """Numbers beside the paper's, against those that our figures and tables show."""
    units = rows("labels", "units-table")[0]
    shares = [of.ours.number for of in compared("labels", "Figure 6").values()]
    assert shares == [units[name] for name in ("perfect", "above_.8", "above_.6")]
    ratios = [row["ratio"] for row in rows("spread", "geometric-sd")]
    far = sum(ratio >= 10_000 for ratio in ratios)
    of = compared("spread", "Figure 5")["ratio 10,000 or more"]
    assert of.ours.text.startswith(f"{far} of {len(ratios)} ")
    adjacent = [row for row in rows("levels", "order") if row["adjacent"]]
    out, topics = (sum(row[name] for row in adjacent) for name in ("out_of_order", "topics"))
    of = compared("levels", "Figure 4")["out of order"]
    assert of.ours.text.startswith(f"{out} of {topics} ")
    every = [row for row in rows("ratios", "ratios") if row["documents"] == "all"]
    medians = [of.ours.number for of in compared("ratios", "Figure 15").values()][:3]
    assert medians == [row["median"] for row in every]
    for name, at, labels in (
        ("rankings", "Figure 10", "binary"),
        ("subruns", "Figure 11", "graded"),
    ):
        best = [
            row
            for row in rows(name, "agreement")
            if (row["gains_from"], row["labels"]) == (best_units.NAME, labels)
        ]
        expected = [row[value] for row in best for value in ("tau", "overlap")]
        assert [of.ours.number for of in compared(name, at).values()] == expected
    runs = next(row for row in rows("widths", "widths") if row["labels"] == "binary")
    found = compared("widths", "Table IV")
    for width in ("narrow", "wide", "all"):
        assert found[f"tau, {width}, nDCG"].ours.number == runs[f"tau_{width}"]
