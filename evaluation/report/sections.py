"""The results in a report: its sections, and what of each analysis stands in the main text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from typing import NamedTuple

from django.utils.text import capfirst

from evaluation.report import captions
from evaluation.report.numbering import HEAD, Numbered

MAX_WORDS = 110  # of an analysis in the main text, if its first paragraph is not longer


class Research(NamedTuple):
    """A section of the results: its heading, and the question that it answers."""

    title: str
    question: str
    # What is in the main text of which analyses: the figures whose names match. What is not named
    # has a sentence there, and stands in the appendix.
    main: dict[str, tuple[str, ...]]


RESEARCH = {
    "scores": Research(
        "Use of the scale",
        "How do workers use the scale?",
        {"distributions": ("raw", "normalised"), "levels_given": ("*",), "spread": ("*",)},
    ),
    "agreement": Research(
        "Reliability of the judgments",
        "How far can the judgments be relied on?",
        {"internal": ("*",), "levels": ("*",), "labels": ("*",)},
    ),
    "systems": Research(
        "Ranking of systems",
        "Which systems differ, and how far does their order depend on who judged and how?",
        {"significance": ("*",), "rankings": ("*",), "sensitivity": (), "enough": ("*",)},
    ),
    "gain": Research(
        "Levels as gains",
        "How much more is a higher level of relevance worth?",
        {"profiles": ("*",), "ratios": ("*",)},
    ),
    "disagreement": Research(
        "Disagreement between judges",
        "What follows from judges who differ?",
        {"weights": ("*",), "consistency": ("*",), "robustness": ("measures",)},
    ),
    "model": Research(
        "The model beside people",
        "Does the model judge as people do?",
        {"model_agreement": ("*",), "model_differences": ("*",)},
    ),
    "time": Research(
        "Time",
        "How long do judgments take, and what do systems give for a reader's time?",
        {"reading": ("seconds-by-words",), "reader": ("systems-paper",)},
    ),
}

ORDER = [name for research in RESEARCH.values() for name in research.main]
NUMBER = re.compile(r"-?\d*\.?\d+")


class Stated(NamedTuple):
    """A sentence, and the figure that shows it."""

    text: str
    figure: Numbered


@dataclass(frozen=True)
class Float:
    """What stands together on a page: a table, one figure, or several with letters."""

    parts: list[Numbered]
    how_many: dict[str, str]

    @property
    def first(self) -> Numbered:
        return self.parts[0]

    @property
    def is_single(self) -> bool:
        return len(self.parts) == 1

    @property
    def is_narrow(self) -> bool:
        return self.first.is_figure and all(part.is_narrow for part in self.parts)

    @property
    def label(self) -> str:
        """Of a single part its own."""
        return self.first.label if self.is_single else f"{self.first.label}-all"

    @property
    def number(self) -> str:
        return self.first.number if self.is_single else self.first.stem

    @property
    def caption(self) -> str:
        """Of figures; tables have their titles."""
        return captions.caption(self.parts, self.how_many)

    @property
    def panels(self) -> list[tuple[Numbered, str]]:
        return [(part, captions.described(part).panel) for part in self.parts]


@dataclass(frozen=True)
class Row:
    """What stands side by side: a float, or two figures that are narrow enough."""

    floats: list[Float]

    @property
    def first(self) -> Float:
        return self.floats[0]

    @property
    def is_figure(self) -> bool:
        return self.first.first.is_figure

    @property
    def is_pair(self) -> bool:
        return len(self.floats) > 1


@dataclass(frozen=True)
class Answer:
    """One analysis: its question, what it says, and its figures and tables.

    shown: the names of the figures in the main text; None if it has but a sentence there.
    """

    name: str
    asks: str
    finding: str
    says: list[str]
    parts: list[Numbered]
    shown: tuple[str, ...] | None
    how_many: dict[str, str]

    @cached_property
    def first(self) -> list[Float]:
        """What stands in the main text."""
        return self._floats([part for part in self.parts if self._is_main(part)])

    @cached_property
    def further(self) -> list[Float]:
        """What stands in the appendix."""
        return self._floats([part for part in self.parts if not self._is_main(part)])

    @property
    def floats(self) -> list[Float]:
        return [*self.first, *self.further]

    @property
    def says_first(self) -> list[str]:
        """The paragraphs of the main text; the finding comes first."""
        said = self.says[: self._n_first]
        if not (self._leads and said):
            return said
        return [" ".join(headed_once([f"{self.finding}.", said[0]])), *said[1:]]

    @property
    def says_further(self) -> list[str]:
        return self.says[self._n_first :]

    @property
    def stated_first(self) -> list[Stated]:
        """What figures of the main text find beyond what is said."""
        return self._stated(self.first)

    @property
    def stated_further(self) -> list[Stated]:
        return self._stated(self.further)

    @property
    def has_further(self) -> bool:
        return bool(self.says_further or self.further)

    def _stated(self, floats: Sequence[Float]) -> list[Stated]:
        """The findings of figures that no paragraph has; that they are interim is said once."""
        said = " ".join([self.finding, *self.says])
        is_headed = bool(HEAD.search(said))
        return [
            Stated(self._settled(part.head if is_headed else part.title), part)
            for each in floats
            for part in each.parts
            if part.is_figure and not _is_said(part.head, said)
        ]

    def _settled(self, title: str) -> str:
        return title.replace("So far ", f"On {self.how_many['topics']} ", 1)

    @property
    def _leads(self) -> bool:
        """Whether its finding is no sentence of what it says."""
        return HEAD.sub("", self.finding) not in " ".join(self.says)

    @property
    def _n_first(self) -> int:
        """How many paragraphs stand in the main text."""
        words, n = 0, 0
        for text in self.says if self.shown is not None else ():
            words += len(text.split())
            if n and words > MAX_WORDS:
                break
            n += 1
        return n

    def _is_main(self, part: Numbered) -> bool:
        name = part.part["name"]
        return part.is_figure and any(fnmatch(name, pattern) for pattern in self.shown or ())

    def _floats(self, parts: list[Numbered]) -> list[Float]:
        """Figures that share a number stand together, where the first of them stands."""
        floats: dict[str, list[Numbered]] = {}
        for part in parts:
            floats.setdefault(part.stem if part.is_figure else part.name, []).append(part)
        return [Float(each, self.how_many) for each in floats.values()]


@dataclass(frozen=True)
class DraftSection:
    """lead: what comes first and is of no analysis."""

    title: str
    question: str
    answers: list[Answer]
    lead: list[Float]

    @property
    def lead_rows(self) -> list[Row]:
        return [Row([each]) for each in self.lead]

    @property
    def main(self) -> list[tuple[Answer, list[Row]]]:
        """Those that the main text shows, each with what stands there of it."""
        shown = [answer for answer in self.answers if answer.shown is not None]
        shown.sort(key=lambda answer: ORDER.index(answer.name))
        return _in_rows([(answer, answer.first) for answer in shown])

    @property
    def brief(self) -> list[tuple[Answer, str]]:
        """Those of which it has a sentence, with this sentence."""
        brief = [answer for answer in self.answers if answer.shown is None]
        brief.sort(key=lambda answer: bool(HEAD.match(answer.finding)))
        return list(zip(brief, headed_once([each.finding for each in brief]), strict=True))

    @property
    def further(self) -> list[tuple[Answer, list[Row]]]:
        """Those of which something, or all, stands in the appendix, with what stands there."""
        return _in_rows([(each, each.further) for each in self.answers if each.has_further])


def _is_said(title: str, said: str) -> bool:
    """Whether a text has the title of a figure, or all of its numbers, maybe less rounded."""
    numbers = NUMBER.findall(title)
    there = {number: float(number) for number in NUMBER.findall(said)}
    rounded = (
        any(
            round(known, len(number.partition(".")[2])) == float(number) for known in there.values()
        )
        for number in numbers
    )
    return title in said or (bool(numbers) and all(rounded))


def headed_once(texts: list[str]) -> list[str]:
    """Sentences of a paragraph: that they are interim is said of the first, not of all after it."""
    heads = ["", *(match[0] if (match := HEAD.match(text)) else "" for text in texts)]
    return [
        capfirst(text.removeprefix(head)) if head == before else text
        for text, before, head in zip(texts, heads, heads[1:], strict=False)
    ]


def _in_rows(floats: list[tuple[Answer, list[Float]]]) -> list[tuple[Answer, list[Row]]]:
    """Floats in rows: narrow figures in twos, of an answer, or of one and the next such."""
    rows: list[tuple[Answer, list[Row]]] = []
    alone: Row | None = None  # of an answer before
    for answer, its in floats:
        made: list[Row] = []
        waiting: Row | None = None
        narrow = [each for each in its if each.is_single and each.is_narrow]
        for each in its:
            if each not in narrow:
                made.append(Row([each]))
            elif waiting:
                waiting.floats.append(each)
                waiting = None
            elif alone and each is narrow[-1]:
                alone.floats.append(each)
                alone = None
            else:
                waiting = Row([each])
                made.append(waiting)
        alone = waiting or alone
        rows.append((answer, made))
    return rows


def shown(name: str) -> tuple[str, ...] | None:
    shown = (research.main.get(name) for research in RESEARCH.values())
    return next((each for each in shown if each is not None), None)
