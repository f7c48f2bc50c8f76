"""Systems by any measure and gains from a study's data: the same as what is published of it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from evaluation import results
from evaluation.pipeline import evaluate
from evaluation.study.data import StudyData, load
from evaluation.study.scoring import measured
from judging.models import Study
from magnitudes.gains import GainError
from magnitudes.measures.names import MeasureNameError, parse
from tests.database import there_for_all
from tests.factory.arrays import random_study
from tests.factory.completed import judged_study

MEASURES = [
    *("nDCG@10", "ERR@10", "nDCG", "AP@5", "P@3", "bpref_de_beer_moens", "rpref@10", "nDCG@20"),
    *("R@3", "Rprec", "Success@1", "Judged@10", "Bpref"),
    *("nDCG(order='rank')@10", "nDCG(unjudged='min')@10"),
]


@pytest.fixture(scope="module")
def study(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        study, _ = judged_study(1, topics=3, units=6)
        evaluate(study)
        yield study


@pytest.fixture
def data(study: Study, db: None) -> StudyData:
    return load(study)


@pytest.mark.parametrize(
    ("measure", "gains"),
    [
        *((measure, gains) for measure in MEASURES for gains in ("", "linear", "raw")),
        ("ERR(unit='n_k')@10", ""),
    ],
)
def test_values_are_those_that_are_published(data: StudyData, measure: str, gains: str) -> None:
    by = parse(measure)
    table = results.table(data.study, by, gains or None)
    measure_used, found = measured(data, by, gains)
    assert str(measure_used) == table.measure
    assert data.runs == table.runs
    np.testing.assert_array_equal(found.values, table.values)


def test_what_cannot_be_measured_says_why() -> None:
    data = random_study()
    with pytest.raises(GainError, match="no gain is called"):
        measured(data, parse("nDCG@10"), "nothing")
    with pytest.raises(MeasureNameError, match="length of a document whose text is not there"):
        measured(data, parse("TBG"))
    with pytest.raises(MeasureNameError, match="needs M = 1"):
        measured(data, parse("GAP@10"), "udm:2/3")
