"""What stands beside the papers' numbers: the same quantity in the same form, or said to be not."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from evaluation.analyses import ANALYSES, of_study, papers
from evaluation.analyses.papers import Place
from evaluation.analyses.systems import best_units
from evaluation.models import CachedAnalysis
from evaluation.pages import replication
from evaluation.study.data import StudyData
from judging.models import Study
from tests.factory import NOON
from tests.factory.arrays import make_study, random_study
from tests.factory.opinions import graded_study, random_opinions
from tests.factory.texts import with_texts

ASIDE = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
NUMERAL = re.compile(r"(?:\d[\d,]*)?\.?\d+")
# What needs a database: the overview's table, and verdicts, which are not computed.
FROM_DATABASE = {papers.TABLE_I, "differences"}
# Measures of the paper that no study has: nDCG to a second rank, and gain in time.
FEWER = {"power": (6, 3)}
SAME = [
    place
    for paper in papers.PAPERS
    for place in paper.places
    if place.same and place.analysis not in FROM_DATABASE
]


def form(text: str) -> tuple[int, int]:
    """How many numerals a sentence has, and how many per cent; what is in parentheses aside."""
    text = ASIDE.sub("", text)
    return len(NUMERAL.findall(text)), text.count("%")


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
def kept(name: str, of: Any) -> CachedAnalysis:
    data = of()
    result = ANALYSES[name].of(data)
    return CachedAnalysis(
        name=name,
        titles={part["name"]: part["says"] for part in result["parts"]},
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


@pytest.mark.parametrize("place", SAME, ids=lambda place: f"{place.analysis}-{place.name}")
def test_the_same_quantity_is_said_in_the_form_of_the_paper(place: Place) -> None:
    one = pair(place, maker(place))
    assert one.is_same, one
    assert form(one.ours[0]) == FEWER.get(place.analysis, form(place.theirs)), one.ours
    assert "not defined" not in one.ours[0]
    assert one.state == "the same quantity"


def test_most_places_with_a_number_have_the_same_quantity() -> None:
    with_numbers = [
        place
        for paper in papers.PAPERS
        for place in paper.places
        if form(place.theirs)[0] and place.analysis != "aspects"
    ]
    others = {(place.analysis, place.name) for place in with_numbers if not place.same}
    assert others == {
        ("distributions", "Figure 1"),  # which numbers are round
        ("resampling", "Figure 12"),  # which figures lie around its middle
        ("every_judgment", "Figure 4"),  # of a sketch
        ("robustness", "Table 3"),  # kinds of topics that nobody declares
        ("reading", "Table 1"),  # clicks and saves
        ("reading", "Figure 2"),  # at which time
        ("reader", "Figure 4"),
        ("unanimity", "Table 1"),  # of made ratings
    }


def test_another_quantity_and_none_are_said_to_be_such() -> None:
    (place,) = (place for _, place in papers.places_of("profiles"))
    other = pair(next(place for place in papers.TIME.places if not place.same))
    assert (other.is_same, other.state) == (False, "another quantity")
    none = replication.pair(Study(slug="made", crowd="people"), place, {})
    assert (none.ours, none.state) == ([], "")


def test_where_numbers_are_not_known_the_sentence_is_of_another_quantity() -> None:
    """Levels have no deviation, and no alpha of ratios, that is held against the paper's."""
    (deviations, alpha) = (
        pair(next(place for _, place in papers.places_of(name) if place.name == at), graded_study)
        for name, at in (("judges", "Figure 9"), ("internal", "Section 6.1.1"))
    )
    assert (deviations.is_same, deviations.state) == (False, "another quantity")
    assert (alpha.is_same, alpha.state) == (False, "another quantity")
    assert "lies" not in " ".join(alpha.ours)


@pytest.mark.parametrize(
    "place",
    [place for paper in papers.PAPERS for place in paper.places if place.values],
    ids=lambda place: place.name,
)
def test_a_papers_value_lies_within_our_interval_or_outside(place: Place) -> None:
    numbers = kept(place.analysis, judged).numbers
    for key, text in place.values:
        assert text in place.theirs
        value = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
        low, high = numbers[f"{key}_low"], numbers[f"{key}_high"]
        where = "within" if low <= value <= high else "outside"
        assert f"s {text} lies {where} our 95% interval" in pair(place).ours[1]
    of_artificial = replication.pair(
        Study(slug="made", crowd="artificial"),
        place,
        {place.analysis: kept(place.analysis, judged)},
    )
    assert "interval, " not in " ".join(of_artificial.ours[1:])


def rows(name: str, part: str) -> list[dict[str, Any]]:
    """Those of a figure or table, by column."""
    (found,) = (one for one in ANALYSES[name].of(judged())["parts"] if one["name"] == part)
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def said(name: str, at: str) -> str:
    return pair(next(place for _, place in papers.places_of(name) if place.name == at)).ours[0]


def test_what_is_said_is_what_the_tables_have() -> None:
    """Numbers beside the paper's, against those that our figures and tables show."""
    units = rows("labels", "units-table")[0]
    for name in ("perfect", "above_.8", "above_.6"):
        assert f"{units[name]:.0%}" in said("labels", "Figure 6")
    ratios = [row["ratio"] for row in rows("spread", "geometric-sd")]
    far = sum(ratio >= 10_000 for ratio in ratios)
    assert said("spread", "Figure 5").startswith(f"{far} of {len(ratios)} documents")
    adjacent = [row for row in rows("levels", "order") if row["adjacent"]]
    out, of = (sum(row[name] for row in adjacent) for name in ("out_of_order", "topics"))
    assert f"in {out} of {of} cases" in said("levels", "Figure 4")
    every = [row for row in rows("ratios", "ratios") if row["documents"] == "all"]
    for row in every:
        assert f"{row['median']:.2f}" in said("ratios", "Figure 15")
    for name, at, labels in (
        ("rankings", "Figure 10", "binary"),
        ("subruns", "Figure 11", "graded"),
    ):
        best = [
            row
            for row in rows(name, "agreement")
            if (row["gains_from"], row["labels"]) == (best_units.NAME, labels)
        ]
        assert len(best) == 2
        for row in best:
            assert f"{row['tau']:.3f} and {row['overlap']:.0%}" in said(name, at)
    runs = next(row for row in rows("widths", "widths") if row["labels"] == "binary")
    for width in ("narrow", "wide", "all"):
        assert f"{runs[f'tau_{width}']:.3f}" in said("widths", "Table IV")
