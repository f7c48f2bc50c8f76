"""What is said of studies in which there is one of something."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from evaluation.analyses import ANALYSES, of_study
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.telling.parts import Figure, amount, percent, span
from tests.factory.arrays import analysed, random_study
from tests.factory.opinions import graded_study, imported_study, random_opinions

COUNTED = "documents|judges|judgments|labels|levels|pairs|runs|scores|systems|topics|units|users"
ODD = re.compile(
    rf"(?<![\d.,(/])\b1 (?:{COUNTED}|workers|views|ratings|draws|seconds)\b(?! ×)"
    r"|(?<!on )\b1 (?:\w+ )?(?:have|agree|are|were|stand|count) "
    r"|\bfrom (?P<one>[\d.]+%?) to (?P=one)(?![\d.%])"
    r"|\b(?P<n>\d+) to (?P=n) (?:unit|judgment)"
)
SMALL: dict[str, Callable[[], StudyData]] = {
    "one unit": partial(random_study, topics=1, units=1),
    "one topic": partial(random_study, topics=1, units=4, runs=2),
    "one unit of levels": partial(graded_study, topics=1, units=1),
    "one topic of levels": partial(graded_study, topics=1, units=4, runs=2),
    "one judge": partial(random_opinions, judges=1, topics=2),
    "two judges": partial(random_opinions, judges=2, topics=1, documents=2, runs=2),
    "one worker of two has said more": lambda: imported_study(
        [[(0, 0, 1), (0, 1, 2), (1, 0, 0)]] * 2, lists=[[0, 1], [1, 0]]
    ),
    "two aspects": partial(
        random_opinions, judges=2, topics=1, documents=3, aspects=("snippet", "page")
    ),
}


@pytest.mark.parametrize("make", SMALL.values(), ids=SMALL)
def test_one_of_something_is_no_plural(make: Callable[[], StudyData]) -> None:
    data, odd = make(), []
    for name in of_study(data.study):
        found = ANALYSES[name].analyse(data, lambda share: None)
        said = [*found.says, *(part.says for part in found.parts)]
        said += [text for part in found.parts if isinstance(part, Figure) for text in part.told]
        odd += [f"{name}: {text}" for text in said if ODD.search(text)]
    assert not odd


def test_one_worker_who_can_be_compared() -> None:
    """The second worker gave both documents the same."""
    data = imported_study([[(0, 0, 1), (1, 0, 2), (0, 1, 1), (1, 1, 1), (0, 2, 0)]])
    says = analysed("workers", data).says
    assert says[0].startswith("1 worker agrees with the others on the order of documents by ")
    each = imported_study([[(0, 0, 1), (1, 1, 2)]])
    assert analysed("workers", each).says[-1] == "2 workers completed 1 judgment each."
    alone = imported_study([[(0, 0, 1), (1, 0, 2)]])
    assert analysed("workers", alone).says[-1] == "1 worker completed 2 judgments."


def test_amounts_and_spans() -> None:
    assert [amount(n, "level") for n in (1, 0.5, 0)] == ["1 level", "0.5 levels", "0 levels"]
    assert span(0.1, 0.2) == "from 0.100 to 0.200"
    assert span(0.571, 0.5712) == "0.571"
    assert span(1, 1, percent) == "100%"
