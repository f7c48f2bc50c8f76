"""Under which number a figure or a table stands: that of its paper, where one has the like."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from evaluation.analyses import ANALYSES, SECTIONS, papers
from evaluation.report import references, tables
from judging.studies.analysis_plan import INTERIM

PLACE = re.compile(r"(?P<kind>Figure|Table|[Ss]ection) (?P<number>[\w.]+)(?: of (?P<paper>.*))?")
# Other papers' numbers follow a letter. By what a source calls each.
LETTERS = {
    "De Beer": ("B", "debeer2006"),
    "Demeester": ("D", "demeester2014"),
    "Smucker": ("T", "smucker2012"),
    "Sakai, EVIA": ("U", "sakai2017"),
    "Sakai, SIGIR": ("P", "sakai2006"),
}
WORKS_OF = dict(  # the papers that are replicated, by what they are called
    zip(
        (paper.short for paper in papers.PAPERS),
        ("maddalena2017", "demeester2014", "debeer2006", "smucker2012", "sakai2017"),
        strict=True,
    )
)
HEAD = re.compile(rf"^{INTERIM}, [^:]+: ")
WIDTH = re.compile(r'\bwidth="([\d.]+)"')
WIDEST = 560  # a picture, in pixels, that is still read at half the width of a page
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
    number: str  # "10a"
    stem: str  # that of all that share it: "10"
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
        if not self.read_as:
            return self.own_reading
        return f"{self.caption} It is read as Figure {self.read_as}.".strip()

    @property
    def own_reading(self) -> str:
        """The same, without regard to other figures."""
        how = self._with_antecedent(self.part.get("reading", ""))
        return f"{self.caption} {how}".strip()

    @property
    def caption(self) -> str:
        return self._with_antecedent(self.part.get("caption", ""))

    @property
    def notes(self) -> list[str]:
        return [self._with_antecedent(note) for note in self.part.get("notes", ())]

    @property
    def title(self) -> str:
        return self._with_antecedent(str(self.part["says"]).rstrip("."))

    @property
    def head(self) -> str:
        """Its title without that it is interim."""
        return HEAD.sub("", self.title)

    @property
    def is_narrow(self) -> bool:
        """Whether two such pictures stand side by side."""
        width = WIDTH.search(self.part["svg"])
        return bool(width and float(width[1]) <= WIDEST)

    def _with_antecedent(self, text: str) -> str:
        return references.with_antecedent(text, paper_of(self.analysis))

    @cached_property
    def table(self) -> tables.ShownTable | None:
        return None if self.is_figure else tables.shown(self.part)

    @property
    def label(self) -> str:
        return f"{'fig' if self.is_figure else 'tab'}:{self.name}"


def paper_of(analysis: str) -> str:
    """The key of what an analysis calls "the paper"."""
    keys = [WORKS_OF[paper.short] for paper, _ in papers.places_of(analysis)]
    is_of_disagreement = ANALYSES.get(analysis) in SECTIONS["disagreement"].analyses
    return next(iter(keys), "demeester2014" if is_of_disagreement else "maddalena2017")


def numbered(parts: Iterable[tuple[str, dict[str, Any]]]) -> list[Numbered]:
    """Parts, each with the name of its analysis, under their numbers.

    What shares a number is told apart by letters. What no paper has is counted on its own, all
    such figures of an analysis as one.
    """
    parts = list(parts)
    stems, own = [], dict[str, Iterator[int]](figure=count(1), table=count(1))
    of_analysis: dict[str, str] = {}
    for analysis, part in parts:
        stem = _of_paper(part)
        if not stem and part["kind"] == "table":
            stem = f"{OWN}{next(own['table'])}"
        elif not stem:
            if analysis not in of_analysis:
                of_analysis[analysis] = f"{OWN}{next(own['figure'])}"
            stem = of_analysis[analysis]
        stems.append((part["kind"], stem))
    shared, seen = Counter(stems), Counter[tuple[str, str]]()
    explained_at: dict[str, str] = {}
    made = []
    for (analysis, part), (kind, stem) in zip(parts, stems, strict=True):
        number = stem
        if shared[kind, stem] > 1:
            seen[kind, stem] += 1
            number += chr(ord("a") + seen[kind, stem] - 1)
        reading = part.get("reading", "") if kind == "figure" else ""
        made.append(
            Numbered(
                analysis, part, number, stem, _source(part["source"]), explained_at.get(reading, "")
            )
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
    return next((letter for name, letter in LETTERS.items() if paper.startswith(name)), ("", ""))


def _source(source: str) -> str:
    """Where a paper has the like, its citation as our texts have it."""
    place = PLACE.match(source)
    if not place:
        return source
    key = _letter(place["paper"] or "")[1]
    where = f"{place['kind'].capitalize()} {place['number']}"
    return f"{where} of [@{key}]" if key else source
