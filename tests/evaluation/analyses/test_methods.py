"""What a report says of how its numbers came about."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from evaluation.analyses import ANALYSES
from evaluation.report.methods import methods, of_analyses
from evaluation.study import levels
from evaluation.study.data import StudyData, load
from judging.departures import AS_IN_PAPER
from tests.factory.arrays import random_study
from tests.factory.completed import judged_study
from tests.factory.opinions import graded_study, imported_study, random_opinions
from tests.factory.texts import with_texts

Results = Mapping[str, Mapping[str, Any]]


def computed(data: StudyData) -> Results:
    return {name: analysis.of(data) for name, analysis in ANALYSES.items() if analysis.methods}


def told(data: StudyData) -> str:
    return " ".join(of_analyses(data, computed(data)))


@pytest.mark.parametrize("make", [random_study, graded_study])
def test_trials_chances_ratings_and_the_reader(make: Callable[..., StudyData]) -> None:
    data = with_texts(make(topics=7, units=20))
    results = computed(data)
    said = " ".join(of_analyses(data, results))
    assert "alpha counts the first 10 scores of a document, but no pair of scores that one" in said
    assert "its p are from a randomisation test, 999 permutations of scores within units" in said
    assert "Tukey HSD test, 5,000 trials, at p < 0.05" in said
    assert "the randomisation test and the bootstrap test, 1,000 turns each" in said
    of = results["weights"]["numbers"]
    assert f"says {levels.names(data)[-1]} of a document of which one said level i" in said
    assert "P(1/3), the weight of a level" in said
    assert not re.search(r"0\.\d+ after ", said)  # what was found is told among the results
    assert f"from {of['observations']:,} labels (all documents)" in said
    assert f"N = {data.study.redundancy} ratings of a document, with p = 0.1, 0.2, 0.5" in said
    assert "4.4 seconds for a summary, 0.018 l + 7.8 for a document of l words" in said
    assert "have stopped after 224 seconds" in said
    assert ("Scores were cut into 4 levels" in said) != data.study.is_graded
    assert ("log(s / N_k)" in said) != data.study.is_graded


def test_nothing_is_said_of_analyses_that_show_nothing() -> None:
    alone = imported_study([[(0, 0, 2), (1, 0, 1)]])
    assert told(alone) == ""
    without_runs = random_opinions(runs=0)
    said = told(without_runs)
    assert "user disagreement model" in said
    assert "Tukey" not in said
    assert "reader" not in said
    assert "no system to measure" in methods(without_runs, {})


@pytest.mark.django_db
def test_seconds_are_named_where_there_is_a_least_number() -> None:
    study, _ = judged_study(1, topics=1, units=1)
    data = load(study)
    data.study.minimum_seconds = 20
    assert "scored H_k above N_k, and spent 20 seconds or more on every" in methods(data, {})
    data.study.minimum_seconds = 0
    said = methods(data, {})
    assert "and scored H_k above N_k." in said
    assert "0 seconds or more" not in said
    assert "but for these: " in said
    assert "seconds on each document, at least: 0 (there: 20)" in said
    vars(data.study).update(AS_IN_PAPER)
    said = methods(data, {})
    assert "The settings of the protocol were those of [@maddalena2017]; texts and pay" in said
    assert "(there:" not in said
