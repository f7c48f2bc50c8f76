"""What is said of studies in which there is one of something."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from evaluation.analyses import ANALYSES, of_study
from evaluation.cache.page import LINKED
from evaluation.presentation.column_labels import heading
from evaluation.presentation.parts import Figure, Table, amount, percent, span
from evaluation.study.data import StudyData
from tests.factory.arrays import random_study
from tests.factory.opinions import graded_study, imported_study, random_opinions
from tests.factory.texts import with_texts

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
        said = [*found.sentences, *(part.title for part in found.parts)]
        said += [
            text
            for part in found.parts
            if isinstance(part, Figure)
            for text in part.caption_and_reading
        ]
        odd += [f"{name}: {text}" for text in said if ODD.search(text)]
    assert not odd


RAW = re.compile(
    r"\b(?!H_k|N_k|T_D|calibrate_time)[A-Za-z]\w*_[A-Za-z]\w*|\b(?:q1|q3|r2|h k|n k)\b"
)  # a name of a program
IDS = LINKED | {"unit", "justification", "title"}  # columns whose texts are not ours
ORDINARY: dict[str, Callable[[], StudyData]] = {
    "magnitudes": lambda: with_texts(random_study(topics=8)),
    "levels": graded_study,
    "imported, two aspects": partial(random_opinions, aspects=("snippet", "page")),
}


@pytest.mark.parametrize("make", ORDINARY.values(), ids=ORDINARY)
def test_heads_and_notes_are_words_not_names_of_a_program(make: Callable[[], StudyData]) -> None:
    data = make()
    heads, said = set(), []
    for analysis in of_study(data.study).values():
        found = analysis.analyse(data, lambda share: None)
        said += found.sentences
        for part in found.parts:
            heads |= {part.heads.get(column) or heading(column) for column in part.columns}
            for row in part.rows:
                named = zip(part.columns, row, strict=True)
                said += [cell for name, cell in named if isinstance(cell, str) and name not in IDS]
            how = (
                (part.caption, *part.notes) if isinstance(part, Table) else part.caption_and_reading
            )
            said += [part.title, *how]
    assert not heads & {"of", "by", "n", "query id", "doc id", "n documents", "which", "one"}
    assert not [head for head in heads if RAW.search(head) or "ndcg" in head]
    assert not [text for text in said if RAW.search(text) or "{" in text]


def test_amounts_and_spans() -> None:
    assert [amount(n, "level") for n in (1, 0.5, 0)] == ["1 level", "0.500 levels", "0 levels"]
    assert span(0.1, 0.2) == "from 0.100 to 0.200"
    assert span(0.571, 0.5712) == "0.571"
    assert span(1, 1, percent) == "100%"
