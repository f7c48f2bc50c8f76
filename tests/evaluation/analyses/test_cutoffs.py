"""A study that was pooled to rank 4 is measured to rank 4 by every analysis."""

from collections.abc import Iterator
from typing import Any

import pytest

from evaluation.analyses import ANALYSES, of_study
from evaluation.analyses.question import Question
from evaluation.presentation.parts import Table
from evaluation.study.data import StudyData
from tests.claims.drawing import Model
from tests.factory.arrays import analysed
from tests.factory.opinions import graded_study
from tests.factory.texts import with_texts

STUDIES = {
    "magnitudes": Model(topics=8, other=True, reading=0.02).study(3),
    "levels": with_texts(graded_study(topics=7)),
}
NAMES = {study: of_study(data.study) for study, data in STUDIES.items()}
OF_LEVELS = NAMES["levels"].keys() - NAMES["magnitudes"].keys() | {"power", "users", "widths"}
CASES = [("magnitudes", name) for name in NAMES["magnitudes"]]
CASES += [("levels", name) for name in NAMES["levels"] if name in OF_LEVELS]


def texts(value: Any) -> Iterator[str]:
    """Every text of what an analysis shows, but for rows of a table that are the paper's."""
    if isinstance(value, dict):
        for name, of in value.items():
            yield from texts([name, of])
    elif isinstance(value, (list, tuple)):
        if not any("paper" in str(cell) for cell in value if isinstance(cell, str)):
            for of in value:
                yield from texts(of)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize(("study", "name"), CASES, ids=str)
def test_no_analysis_of_a_shallow_study_names_rank_10(
    study: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data: StudyData = STUDIES[study]
    monkeypatch.setattr(data.study, "pooled_to", 4)
    found = analysed(name, data)
    assert not [said for said in found.sentences if "@10" in said]
    for part in found.parts:
        kept = dict(part.to_json())
        rows = list(part.rows) if isinstance(part, Table) else []
        assert not [said for said in (*texts(kept), *texts(rows)) if "@10" in said], part.name
    assert not [number for number in found.numbers if "@10" in number]


@pytest.mark.parametrize(
    "name", [name for name in NAMES["magnitudes"] if ANALYSES[name].of_systems]
)
def test_no_analysis_compares_systems_that_are_pooled_to_rank_2(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data: StudyData = STUDIES["magnitudes"]
    monkeypatch.setattr(data.study, "pooled_to", 2)
    result = ANALYSES[name].of(data)
    assert result["says"][0].startswith(
        "Systems are not compared: the pools hold every run to rank 2"
    )
    assert result["parts"] == []
    if "measure" in ANALYSES[name].takes:
        assert ANALYSES[name].of(data, asked=Question(measure="nDCG@2"))["parts"]
