"""What a report says of how its numbers came about."""

from collections.abc import Mapping
from typing import Any

import pytest

from evaluation.analyses import ANALYSES
from evaluation.report.methods import methods, of_analyses
from evaluation.study.data import StudyData, load
from judging.departures import AS_IN_PAPER
from tests.factory.completed import judged_study
from tests.factory.opinions import imported_study, random_opinions

Results = Mapping[str, Mapping[str, Any]]


def computed(data: StudyData) -> Results:
    return {name: analysis.of(data) for name, analysis in ANALYSES.items() if analysis.methods}


def told(data: StudyData) -> str:
    return " ".join(of_analyses(data, computed(data)))


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
    assert "minimum seconds on each document: 0 (there: 20)" in said
    vars(data.study).update(AS_IN_PAPER)
    said = methods(data, {})
    assert "The settings of the protocol were those of [@maddalena2017]; texts and pay" in said
    assert "(there:" not in said
