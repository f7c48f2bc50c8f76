"""Under which number a figure or a table stands: that of its paper, where one has the like."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluation.report import tables

PLACE = re.compile(r"(?P<kind>Figure|Table|[Ss]ection) (?P<number>[\w.]+)(?: of (?P<paper>.*))?")
# Other papers' numbers follow a letter. By what a source calls each.
LETTERS = {
    "De Beer": ("B", "debeer2006"),
    "Demeester": ("D", "demeester2014"),
    "Smucker": ("T", "smucker2012"),
    "Sakai, EVIA": ("U", "sakai2017"),
    "Sakai, SIGIR": ("P", "sakai2006"),
}
OWN = "X"  # what no paper has
OF_THE_PAPER = (
    "Figures and tables bear the numbers that they have in [@maddalena2017], where that paper has "
    "the like; letters after a number distinguish several."
)


@dataclass(frozen=True)
class Numbered:
    """A part of an analysis with its place in the report. source: where a paper has the like."""

    analysis: str
    part: dict[str, Any]
    number: str
    source: str  # "Figure 10 of [@maddalena2017]"
    read_as: str = ""  # the number of an earlier figure that is read in the same way

    @property
    def name(self) -> str:
        """Of its files, and of its label."""
        return f"{self.analysis}-{self.part['name']}"

    @property
    def is_figure(self) -> bool:
        return bool(self.part["kind"] == "figure")

    @property
    def is_of_paper(self) -> bool:
        """Whether it bears the number of a paper's figure or table."""
        return not self.number.startswith(OWN)

    @property
    def reading(self) -> str:
        """What a figure shows, and how it is read."""
        how = f"It is read as Figure {self.read_as}." if self.read_as else self.part.get("reading")
        return f"{self.part.get('caption', '')} {how or ''}".strip()

    @property
    def title(self) -> str:
        return str(self.part["says"]).rstrip(".")

    @cached_property
    def table(self) -> tables.ShownTable | None:
        return None if self.is_figure else tables.shown(self.part)

    @property
    def label(self) -> str:
        return f"{'fig' if self.is_figure else 'tab'}:{self.name}"


def numbered(parts: Iterable[tuple[str, dict[str, Any]]]) -> list[Numbered]:
    """Parts, each with the name of its analysis, under their numbers.

    What shares a number of a paper is told apart by letters; what has none is counted on its own.
    """
    parts = list(parts)
    numbers = [_of_paper(part) for _, part in parts]
    shared = Counter(
        (part["kind"], number) for (_, part), number in zip(parts, numbers, strict=True)
    )
    seen: Counter[tuple[str, str]] = Counter()
    own: Counter[str] = Counter()
    explained_at: dict[str, str] = {}
    made = []
    for (analysis, part), number in zip(parts, numbers, strict=True):
        kind = part["kind"]
        seen[kind, number] += 1
        if not number:
            own[kind] += 1
            number = f"{OWN}{own[kind]}"
        elif shared[kind, number] > 1:
            number += chr(ord("a") + seen[kind, number] - 1)
        reading = part.get("reading", "") if kind == "figure" else ""
        made.append(
            Numbered(analysis, part, number, _source(part["source"]), explained_at.get(reading, ""))
        )
        if reading:
            explained_at.setdefault(reading, number)
    return made


def explained(parts: Iterable[Numbered]) -> str:
    """What their numbers are; of the letters before a number, those that there are."""
    first = {part.number[0] for part in parts}
    others = [f"{letter} of [@{key}]" for letter, key in LETTERS.values() if letter in first]
    of_others = (
        f"Numbers that begin with a letter are those of another paper: {', '.join(others)}. "
        if others
        else ""
    )
    of_none = f"Those that begin with {OWN} are in none of them." if OWN in first else ""
    return f"{OF_THE_PAPER} {of_others}{of_none}".strip()


def _of_paper(part: dict[str, Any]) -> str:
    """The number that a paper has given to the same kind of thing; empty where there is none."""
    place = PLACE.match(part["source"])
    if not place or place["kind"].lower() != part["kind"]:
        return ""
    return _letter(place["paper"] or "")[0] + place["number"]


def _letter(paper: str) -> tuple[str, str]:
    if not paper:
        return "", "maddalena2017"
    return next((found for name, found in LETTERS.items() if paper.startswith(name)), ("", ""))


def _source(source: str) -> str:
    """Where a paper has the like, its citation as our texts have it."""
    place = PLACE.match(source)
    if not place:
        return source
    key = _letter(place["paper"] or "")[1]
    where = f"{place['kind'].capitalize()} {place['number']}"
    return f"{where} of [@{key}]" if key else source
