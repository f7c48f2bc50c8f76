"""Captions of figures in a report: what is drawn, on which axes, of how many, and how it is read.

What a figure says stands in the text.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from django.utils.text import capfirst

from evaluation.report.numbering import Numbered
from evaluation.study.data import StudyData
from magnitudes.files.words import count

TEXT = "{http://www.w3.org/2000/svg}text"
SENTENCE = re.compile(r"(?<=\.) (?=[A-Z0-9“\[])")
ADVICE = "Look "  # a sentence that a page has, and a paper has not


class Described(NamedTuple):
    """shows: what is drawn. panel: what tells it from those beside it. of: words of `counts`."""

    shows: str
    panel: str
    of: str


FIGURES = {
    name: Described(*fields)
    for name, fields in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items()
}


def counts(data: StudyData) -> dict[str, str]:
    """What a study has how many of, in words."""
    judgment = "label" if data.study.is_graded else "score"
    return {
        "judgments": count(len(data.judgments), judgment),
        "units": count(len(data.units), "unit"),
        "workers": count(len(data.workers), "worker"),
        "documents": count(int((data.documents.counts > 0).sum()), "judged document"),
        "topics": count(len(data.topics), "topic"),
        "systems": count(len(data.runs), "system"),
    }


def described(part: Numbered) -> Described:
    return FIGURES.get(part.name) or Described(part.title, "", "")


def caption(parts: Sequence[Numbered], how_many: dict[str, str]) -> str:
    """The caption of figures that stand together; what holds for all of them is said once."""
    every = [described(part) for part in parts]
    shows = "; ".join(dict.fromkeys(each.shows for each in every))
    of = dict.fromkeys(word for each in every for word in each.of.split())
    drawn_of = f" ({', '.join(how_many[word] for word in of)})" if of else ""
    own = {part.number for part in parts}
    by_part = [_sentences(part, own) for part in parts]
    common = [text for text in by_part[0] if all(text in each for each in by_part)]
    of_some: dict[str, list[str]] = {}
    for part, sentences in zip(parts, by_part, strict=True):
        special = " ".join(text for text in sentences if text not in common)
        of_some.setdefault(special, []).append(f"({part.number.removeprefix(part.stem)})")
    apart = [f"{', '.join(letters)} {text}" for text, letters in of_some.items() if text]
    pieces = [f"{shows}{drawn_of}.", *common, *apart]
    sources = dict.fromkeys(part.source for part in parts if part.source)
    return " ".join([*pieces, *(f"As {source}." for source in sources)])


def _sentences(part: Numbered, own: set[str]) -> list[str]:
    """Axes and marks, and how it is read; other: where it was said with another figure before."""
    reading = part.own_reading if part.read_as in own else part.reading
    sentences = [text for text in SENTENCE.split(reading) if text and not text.startswith(ADVICE)]
    return [*axes(part.part), *sentences]


def axes(part: dict[str, Any]) -> list[str]:
    """What the axes of a picture are, in a sentence, if it has titles on them.

    >>> titles = '<text text-anchor="middle">rank</text><text transform="rotate(-90)">gain</text>'
    >>> axes({"svg": f'<svg xmlns="http://www.w3.org/2000/svg">{titles}</svg>'})
    ['Gain against rank.']
    """
    root = ElementTree.fromstring(part["svg"])  # noqa: S314 - our own picture
    titles = [text for text in root.findall(TEXT) if text.get("font-weight") is None and text.text]
    up = _first(title for title in titles if title.get("transform"))
    level = (title for title in titles if not title.get("transform"))
    across = _first(title for title in level if title.get("text-anchor") == "middle")
    if across and up:
        return [f"{capfirst(up)} against {across}."]
    axis = "Horizontal axis" if across else "Vertical axis"
    return [f"{axis}: {across or up}."] if across or up else []


def _first(titles: Iterable[ElementTree.Element]) -> str:
    return next((title.text or "" for title in titles), "")
