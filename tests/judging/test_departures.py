"""Each setting of the paper's protocol: where a study departs from it, and the way back to it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from judging.departures import AS_IN_PAPER, Departure, departures
from judging.models import Study
from judging.settings import SETTINGS
from judging.studies.configuration.changing import change_settings
from tests.factory import make_study

DIFFERENT: dict[str, dict[str, Any]] = {
    "scale": {"scale": "graded", "levels": ["no", "yes"], "level_descriptions": ["Not.", "So."]},
    "pool_by": {"pool_by": "order"},
    "practice": {"practice": "once per worker"},
    "max_units_per_worker": {"max_units_per_worker": 3, "further_units": "none"},
}
DOCS = Path(__file__).parents[2] / "docs/studies.md"
PAPER = Study(**AS_IN_PAPER)
COMPARED = {setting.name: setting.paper for setting in SETTINGS if setting.paper}


def different(name: str) -> dict[str, Any]:
    """Settings by which a study departs from the paper in one of them."""
    value = COMPARED[name].value
    if isinstance(value, bool):
        return {name: not value}
    return DIFFERENT.get(name, {}) or {name: (value or 1) + 1}


def departs(**settings: Any) -> list[str]:
    return [each.name for each in departures(Study(**{**AS_IN_PAPER, **settings}))]


def test_a_study_as_in_the_paper_departs_in_nothing() -> None:
    assert departures(PAPER) == []


@pytest.mark.parametrize("name", COMPARED)
def test_each_departure_is_listed_alone_with_both_values(name: str) -> None:
    study = Study(**{**AS_IN_PAPER, **different(name)})
    (listed,) = departures(study)
    paper = COMPARED[name]
    assert (listed.name, listed.paper_value) == (name, paper.text)
    value = getattr(study, paper.effective or name)
    assert listed.value == paper.text_of(value) != listed.paper_value


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"platform": "links"}, []),
        ({"platform": "connect"}, ["most_failed_finishes", "max_units_per_worker"]),
        ({"platform": "prolific"}, ["most_failed_finishes", "max_units_per_worker"]),
        ({"platform": "prolific", "question_tries": None}, ["question_tries"]),
        ({"further_units": "none"}, ["max_units_per_worker"]),
        ({"crowd": "imported", "unit_size": 5}, []),
        ({"pool_by": ""}, []),
    ],
)
def test_what_holds_is_compared_not_what_was_typed(
    settings: dict[str, Any], names: list[str]
) -> None:
    assert set(names) <= set(departs(**settings))
    assert bool(names) == bool(departs(**settings))


def test_values_are_said_in_words() -> None:
    listed = departures(Study(minimum_seconds=2.5, max_units_per_worker=4))
    assert Departure("minimum_seconds", "minimum seconds on each document", "2.5", "20") in listed
    assert "one on each topic" in [each.paper_value for each in listed]
    # What this product does beside the paper, unless a study says otherwise.
    usual = [each.name for each in departures(Study())]
    assert usual == ["ratios_after_practice", "hints", "show_previous_score"]


def test_the_documentation_lists_each_with_its_value_in_the_paper() -> None:
    rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \|", DOCS.read_text(), re.MULTILINE)
    listed = {
        name: value
        for names, values in rows
        if (keys := names.strip("`").split("`, `"))[0] in COMPARED
        for name, value in zip(keys, values.split(", "), strict=False)
    }
    assert listed.keys() == COMPARED.keys()
    for name, paper in COMPARED.items():
        paper_value = paper.none if paper.value is None else json.dumps(paper.value)
        assert listed[name].strip("`") == paper_value


@pytest.mark.parametrize(
    ("heading", "fixed_from"), [("until units are planned", "plan"), ("at any time", "never")]
)
def test_the_documentation_lists_what_may_change(heading: str, fixed_from: str) -> None:
    (listed,) = re.findall(rf"^\| {heading} \| (.*) \|$", DOCS.read_text(), re.MULTILINE)
    assert set(re.findall("`(.*?)`", listed)) == {
        setting.name for setting in SETTINGS if setting.fixed_from == fixed_from
    }


def test_one_change_sets_all_of_them(db: None) -> None:
    changes: dict[str, Any] = {}
    for name in COMPARED:
        changes |= different(name)
    study = make_study(opened=False)
    study.units.all().delete()
    change_settings(study.slug, changes, None)
    assert {each.name for each in departures(Study.objects.get())} == set(COMPARED)
    study = change_settings(study.slug, AS_IN_PAPER, None)
    assert departures(Study.objects.get()) == []
