"""Every analysis of opinions that were given elsewhere, on studies of which little can be said."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from evaluation.analyses import ANALYSES, of_study
from evaluation.analyses.data import StudyData
from judging.models import Study
from tests.evaluation.analyses.making import analysed, table
from tests.evaluation.analyses.opinions_made import (
    STRANGE_OPINIONS,
    imported_study,
    random_opinions,
)

IMPORTED = list(of_study(Study(scale="graded", levels=["Non", "Rel"], crowd="imported")))
STRANGE = {name: make for name, make in STRANGE_OPINIONS.items() if name.startswith("imported")}
STRANGE["imported, one judge on two topics"] = partial(random_opinions, judges=1, topics=2, runs=0)


@pytest.mark.parametrize("name", IMPORTED)
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE)
def test_no_study_is_too_strange(name: str, make: Callable[[], StudyData]) -> None:
    kept = ANALYSES[name].of(make())
    assert kept["says"]
    for said in [*kept["says"], *(part["says"] for part in kept["parts"])]:
        assert "nan" not in said.split()
    for part in kept["parts"]:
        assert part["rows"], part["name"]
        assert all(len(row) == len(part["columns"]) for row in part["rows"])


def test_topics_of_one_judge_have_no_alpha() -> None:
    found = analysed("topics", imported_study([[(d, 0, d % 3) for d in range(3)]] * 2))
    assert found.says[0] == "2 topics; alpha is not defined on any."
    assert not [part.name for part in found.parts if part.name == "side-by-side"]
    assert np.isnan([row[4:] for row in table(found, "topics").rows]).all()
