"""Every analysis on every odd study: no stumbling, and sentences and tables that can be read.

Four studies are drawn, too; of the others sentences and tables are enough. On every change an
eighth of all pairs of analysis and study is read, each of both in some, and two studies are drawn;
`make acceptance` reads and draws all.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pytest

from evaluation.analyses import of_study, papers
from evaluation.presentation.parts import Figure, Result, Table, plain, plain_row
from evaluation.study.data import StudyData
from tests.factory.arrays import STRANGE, STRANGE_SYSTEMS, analysed, random_study
from tests.factory.opinions import (
    STRANGE_OPINIONS,
    graded,
    graded_study,
    random_opinions,
)
from tests.factory.texts import WITH_TEXTS, with_texts

Make = Callable[[], StudyData]
EVERY = 8
OF_TIME = {"reading", "reader"}  # which need texts
# These say that a value is not defined; others leave it out.
MAY_BE_UNDEFINED = {
    "distributions",
    "internal",
    "rankings",
    "spread",
    "subruns",
    "topics",
    "workers",
}
DRAWN: dict[str, Make] = {
    "ordinary": lambda: with_texts(random_study(topics=7, units=20)),
    "one topic": lambda: with_texts(STRANGE["one topic"]()),
    "levels": lambda: with_texts(graded_study()),
    "imported, two aspects": lambda: random_opinions(aspects=("snippet", "page")),
}
OF_FEW = {"one topic", "levels"}  # drawn in `make acceptance`
MAGNITUDES = STRANGE | STRANGE_SYSTEMS
LEVELS: dict[str, Make] = {
    f"levels, {name}": lambda make=make: graded(make()) for name, make in STRANGE.items()
}
MADE = {name: cache(make) for name, make in (MAGNITUDES | LEVELS | STRANGE_OPINIONS).items()}
TEXTS = {f"texts, {name}": cache(make) for name, make in WITH_TEXTS.items()}


def fitting(studies: dict[str, Make], only: Iterable[str] = ()) -> list[Any]:
    """Names of analyses, each with the odd studies that it fits."""
    pairs = [
        (n + m, name, study)
        for m, (study, make) in enumerate(studies.items())
        for n, name in enumerate(of_study(make().study))
    ]
    if only:
        return [(name, study) for _, name, study in pairs if name in only]
    return [
        pytest.param(name, study, marks=pytest.mark.whole if place % EVERY else ())
        for place, name, study in pairs
        if name not in OF_TIME
    ]


def sentences(found: Result) -> list[str]:
    return [*found.sentences, *(part.title for part in found.parts)]


def beside_papers(name: str, found: Result) -> list[str]:
    """What stands beside the papers' numbers, of numbers as they are kept."""
    numbers = plain_row(found.numbers)
    said = [place.ours(numbers) for _, place in papers.places_of(name) if place.ours]
    assert not re.search(r"\b(nan|inf|None|not defined)\b", " ".join(said)), said
    return [*filter(None, said)]


def read(name: str, found: Result) -> None:
    """As somebody would who reads everything."""
    assert found.sentences
    for sentence in [*sentences(found), *beside_papers(name, found)]:
        assert sentence
        assert "nan" not in sentence.split(), sentence
        assert "not defined" not in sentence or name in MAY_BE_UNDEFINED, sentence
    assert len({part.name for part in found.parts}) == len(found.parts)
    for part in found.parts:
        assert part.rows, part.name
        assert all(len(row) == len(part.columns) for row in part.rows), part.name
        if isinstance(part, Table) and name != "rankings":
            empty = any(plain(cell) is None for row in part.rows for cell in row)
            assert part.notes or not empty, part.name


@pytest.mark.parametrize(("name", "study"), fitting(MADE))
def test_sentences_and_tables(name: str, study: str) -> None:
    read(name, analysed(name, MADE[study]()))


@pytest.mark.parametrize(("name", "study"), fitting(TEXTS, OF_TIME))
def test_sentences_and_tables_of_time(name: str, study: str) -> None:
    read(name, analysed(name, TEXTS[study]()))


@pytest.mark.parametrize(
    ("name", "study"),
    [
        pytest.param(name, study, marks=pytest.mark.whole if study in OF_FEW else ())
        for study, make in DRAWN.items()
        for name in of_study(make().study)
    ],
)
def test_figures(name: str, study: str) -> None:
    found = analysed(name, DRAWN[study]())
    for part in found.parts:
        kept = part.to_json()
        if isinstance(part, Figure):
            assert kept["svg"].count("<path") + kept["svg"].count("<rect") > 1, part.name
