"""What is said of scores: values on small studies, and no stumbling over strange ones."""

from collections.abc import Callable

import numpy as np
import pytest

from evaluation.analyses import ANALYSES, distributions
from evaluation.analyses.data import StudyData
from evaluation.analyses.parts import Analysed, Table
from tests.evaluation.analyses.making import STRANGE, make_study, make_topic, random_study


def table(of: Analysed, name: str) -> Table:
    (found,) = (part for part in of.parts if part.name == name)
    assert isinstance(found, Table)
    return found


def analysed(name: str, data: StudyData) -> Analysed:
    return ANALYSES[name].analyse(data, lambda share: None)


@pytest.mark.parametrize("name", ["distributions"])
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE)
def test_strange_studies(name: str, make: Callable[[], StudyData]) -> None:
    kept = analysed(name, make()).kept()
    assert kept["says"]
    assert len({part["name"] for part in kept["parts"]}) == len(kept["parts"])
    for part in kept["parts"]:
        assert part["rows"], part["name"]
        assert all(len(row) == len(part["columns"]) for row in part["rows"])


# --- distributions ----------------------------------------------------------------------------


def test_distributions_by_topic() -> None:
    data = random_study()
    for name, values in (("raw", "scores"), ("normalised", "normalised")):
        rows = table(analysed("distributions", data), f"{name}-table").rows
        assert [row[0] for row in rows] == ["all", "401", "402", "403"]
        for row, topic in zip(rows[1:], data.topics, strict=True):
            scores = getattr(topic, values).ravel()
            logs = np.log(scores)
            assert row[1:6] == pytest.approx(
                (len(scores), scores.mean(), scores.std(ddof=1), logs.mean(), logs.std(ddof=1))
            )


def test_round_numbers_before_and_after() -> None:
    """Normalised: 1, 2, 5, 10 and 2, 4, 10, 20 become the same, times the root of 2."""
    places = [[0, 1, 2, 3]] * 2
    data = make_study(make_topic([[1, 2, 5, 10], [2, 4, 10, 20]], places, [0, 1, 0, 1]))
    found = analysed("distributions", data)
    assert table(found, "raw-table").rows[0][6:10] == (1 / 8, 2 / 8, 1 / 8, 2 / 8)
    assert table(found, "normalised-table").rows[0][6:10] == (0, 0, 0, 0)
    assert "75% of the scores as given" in found.says[1]


def test_a_curve_is_drawn_within_its_range_from_end_to_end() -> None:
    scores = np.array([1e-5, 0.5, 0.5, 3.0, 1e7])
    drawn = distributions._drawn(
        scores, distributions.fit_log_normal(scores), 200, distributions.RANGE
    )
    steps = [(row["score"], row["share"]) for row in drawn if row["kind"] == "steps"]
    assert steps == [(0.01, 0.2), (0.5, 0.6), (3.0, 0.8), (100.0, 0.8)]
    assert all(0.01 <= row["score"] <= 100 for row in drawn)
