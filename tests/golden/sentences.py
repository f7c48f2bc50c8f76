"""What is said of a study, a sentence a line, under a heading for each analysis."""

from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from evaluation import analyses
from evaluation.analyses import papers
from evaluation.analyses.quantities import all_compared
from evaluation.cache import stored
from evaluation.pages import cards
from evaluation.presentation import parts
from evaluation.presentation.parts import first_sentence
from evaluation.report import draft, methods
from evaluation.study.data import StudyData
from tests.factory.kept import cached, ranked
from tests.golden.studies import CARDS, LACKS, REPORT, STUDIES, Spoken

HEAD = """What the product says of small studies: `python -m tests.golden` writes it.

A figure's title stands in each study. A table's title, and how to read either, stand where they
come first; notes are indented below what they are of.
"""
Results = Mapping[str, Mapping[str, Any]]


def split(text: str) -> Iterator[str]:
    """The sentences of a paragraph, with their full stops."""
    while text:
        first = first_sentence([text])
        end = len(first) + (text[len(first) : len(first) + 1] == ".")
        yield text[:end].strip()
        text = text[end:].strip()


def indented(paragraphs: Iterable[str], by: int = 0) -> list[str]:
    return [" " * by + one for text in paragraphs for one in split(text)]


class Once:
    """What is the same for many studies, by the analysis that says it: it is written down once."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()

    def new(self, name: str, *texts: str) -> list[str]:
        """Those that have not been there."""
        new = [text for text in texts if text and (name, text) not in self.seen]
        self.seen |= {(name, text) for text in new}
        return new


def of_analysis(name: str, result: Mapping[str, Any], once: Once) -> Iterator[str]:
    """What it says, the titles of figures, and once those of tables and how to read either."""
    yield from indented(result["says"])
    for part in result["parts"]:
        titles = [part["says"]] if part["kind"] == "figure" else once.new(name, part["says"])
        yield from (f"  {part['kind']} {part['name']}: {title}" for title in titles)
        how = part["caption"], part.get("reading", ""), *part.get("notes", ())
        yield from indented(once.new(name, *how), 4)
    for _, place in papers.places_of(name):
        if place.ours and (ours := place.ours(result["numbers"])):
            yield f"  Beside {place.name} of the paper: {ours}"
        for of in all_compared(place.compare, result["numbers"]):
            beside = f"{of.ours.text} beside {of.theirs.text}, {of.difference.text}"
            yield f"  {place.name} of the paper, {of.quantity}: {beside}"


def of_cards(data: StudyData, results: Results) -> Iterator[str]:
    """The headline and the cards, of a study that no database has."""
    labels = np.concatenate([topic.labels for topic in data.topics] or [[]])
    levels = np.unique(labels[~np.isnan(labels)])
    sets = SimpleNamespace(exists=lambda: bool(len(levels)))
    collection = SimpleNamespace(slug="made", label_sets=sets)
    data.study._state.fields_cache["collection"] = collection  # type: ignore[attr-defined]

    def kept(study: object, names: Iterable[str], *_: object, **__: object) -> list[Any]:
        return [cached(name, results.get(name)) for name in names]

    with (
        mock.patch.object(stored, "get_or_request", kept),
        mock.patch.object(cards.labels, "_read", return_value=set()),
        mock.patch.object(cards.labels, "has_one_level", return_value=len(levels) == 1),
    ):
        answers = cards.answers(data.study, data.label_set, {}, ranked(data), None, None, 0)
    if answers.verdict:
        yield from indented(filter(None, answers.verdict[:2]))
    for card in answers.cards:
        if cards.NUMBER_OF[card.name] not in results:
            continue
        yield f"  {card.name} ({card.state.word}): {card.headline}"
        number = f"{card.number} {card.interval}".strip()
        yield from indented(filter(None, (number, card.why, card.more)), 4)


def of_report(data: StudyData, results: Results, once: Once) -> Iterator[str]:
    """Its findings, their limits, and its methods.

    Those of a study judged here are in a database, but for what analyses say of theirs. What
    computed it, and when, is no sentence to keep.
    """
    told = [*draft._findings(data, results), *draft._limits(data, results)]
    yield from (f"{text}." for text in told)
    said = [*methods.of_analyses(data, results)]
    if data.study.is_imported:
        paragraphs = methods.paragraphs(data, results)
        said = [each.text for each in paragraphs if each.heading != "Seeds and software"]
    yield from indented(once.new(REPORT, *(one for text in said for one in split(text))), 2)


def of_study(spoken: Spoken, once: Once) -> Iterator[str]:
    """What a study says; see `Spoken`."""
    data = spoken.make()
    fitting, some = analyses.of_study(data.study), spoken.of.split()
    if spoken.of == LACKS:
        some = [name for name in fitting if name != "internal" or not data.topics]  # takes longest
    results = {name: each.of(data) for name, each in fitting.items() if not some or name in some}
    if not some or CARDS in some or spoken.of == LACKS:
        yield from ("", "--- headline and cards", *of_cards(data, results))
    if not some or REPORT in some:
        yield from ("", "--- report", *of_report(data, results, once))
    if spoken.of == LACKS:
        lacks = {name: result["says"] for name, result in results.items() if not result["parts"]}
        yield from ("", "--- nothing to show")
        yield from (f"{name}: {' '.join(says)}" for name, says in lacks.items())
        return
    for name, result in results.items():
        yield from ("", f"--- {name}", *of_analysis(name, result, once))


def everything() -> str:
    """The whole file."""
    once, lines = Once(), [HEAD]
    with mock.patch.object(parts, "svg", return_value=""):
        for title, spoken in STUDIES.items():
            lines += ["", "", f"=== {title}", *of_study(spoken, once)]
    return "\n".join(lines) + "\n"
