"""Scores in crowd-kit's columns: which they are, and that their medians are the gains."""

import json
from collections import defaultdict
from statistics import median
from typing import Any

import pytest

from evaluation.pipeline import evaluate
from evaluation.publishing import exports, pair_gains
from evaluation.publishing.judgment_rows import judgments
from judging import flow
from judging.models import Study
from tests.factory import GRADED, NOON, make_study
from tests.factory.completed import complete, judged_study

pytestmark = pytest.mark.django_db


def rows(study: Study) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exports.lines(study, "crowdkit", "jsonl")]


def medians(study: Study) -> dict[str, float]:
    labels = defaultdict(list)
    for row in rows(study):
        labels[row["task"]].append(row["label"])
    return {task: median(some) for task, some in labels.items()}


def gains(study: Study) -> dict[str, float]:
    return {f"{gain.query_id} {gain.doc_id}": gain.gain for gain in pair_gains.gains(study)}


def test_of_magnitudes_it_has_the_normalised_scores() -> None:
    study, _ = judged_study(2, topics=2, units=5)
    evaluate(study)
    expected = [
        {
            "task": f"{row['query_id']} {row['doc_id']}",
            "worker": row["worker"],
            "label": row["normalised"],
        }
        for row in judgments(study)
    ]
    assert rows(study) == expected
    assert medians(study) == gains(study)


def test_of_levels_it_has_whole_numbers() -> None:
    study = make_study(redundancy=2, **GRADED)
    complete(study, "ada", lambda d: {"h_k": "3", "n_k": "0"}.get(d.role, "1"))
    complete(study, "ben", lambda d: {"h_k": "3", "n_k": "0"}.get(d.role, "2"))
    evaluate(study)
    assert {type(row["label"]) for row in rows(study)} == {int}
    assert {row["worker"] for row in rows(study)} == {"ada", "ben"}
    assert medians(study) == gains(study)


def test_it_has_what_the_gains_are_of_and_no_more() -> None:
    study = make_study(redundancy=3)
    first = complete(study, "ada")
    complete(study, "ben")
    assert rows(study) == []
    evaluate(study)
    complete(study, "carmen")
    assert {row["worker"] for row in rows(study)} == {"ada", "ben"}
    flow.withdraw(str(first.assignment.completion_code), NOON)
    evaluate(study)
    assert {row["worker"] for row in rows(study)} == {"ben", "carmen"}
    assert medians(study) == gains(study)


@pytest.mark.parametrize(("demo", "remarks"), [(False, ()), (True, ("crowd: demo",))])
def test_that_it_was_not_people_alone_is_told_beside_it(
    demo: bool, remarks: tuple[str, ...]
) -> None:
    study = make_study(demo=demo, payment=0)
    assert exports.file(study, "crowdkit", "csv").remarks == remarks
