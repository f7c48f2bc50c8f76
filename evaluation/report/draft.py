"""What a report says, before it is a document for TeX or a page: texts and numbered parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evaluation.analyses import ANALYSES, SECTIONS, Analysis, papers
from evaluation.publishing import planned_end
from evaluation.report import overview_tables, references
from evaluation.report.methods import Paragraph, Results, paragraphs
from evaluation.report.numbering import Numbered, explained, numbered
from evaluation.study.data import StudyData
from web import clock

MARKS = {
    "simulated": "Simulated: no number in this report comes from a person.",
    "demo": "A demonstration: people and artificial workers judged.",
    "rehearsal": "A rehearsal: these are not the data of the study.",
    "imported": "The judgments were made elsewhere, and imported.",
}
NOT_COMPUTED = "This could not be computed:"
HIGHLIGHTS = ("significance", "rankings", "internal", "labels", "enough", "weights", "consistency")


@dataclass(frozen=True)
class Answer:
    """One analysis: its question, what it says, and its figures and tables."""

    name: str
    asks: str
    says: list[str]
    parts: list[Numbered]

    @property
    def first(self) -> list[Numbered]:
        """What stands in the main text: what papers show, and the figures of a main finding."""
        is_main = self.name in HIGHLIGHTS
        shown = [part for part in self.parts if part.is_of_paper or (is_main and part.is_figure)]
        return shown or (self.parts if is_main else [])

    @property
    def further(self) -> list[Numbered]:
        """What stands in the appendix."""
        return [part for part in self.parts if part not in self.first]


@dataclass(frozen=True)
class DraftSection:
    title: str
    asks: str
    answers: list[Answer]

    @property
    def first(self) -> list[Answer]:
        """The answers of the main text."""
        return [answer for answer in self.answers if answer.first]

    @property
    def further(self) -> list[Answer]:
        """Those of which something, or all, stands in the appendix."""
        return [answer for answer in self.answers if answer.further]


@dataclass(frozen=True)
class Draft:
    """The whole. silent: questions without an answer here, and why."""

    title: str
    mark: str
    made_at: datetime
    findings: list[str]
    methods: list[Paragraph]
    overview: list[Numbered]
    sections: list[DraftSection]
    silent: list[tuple[str, str]]
    interim: str = ""  # heads claims about systems until the planned end

    @property
    def marked(self) -> str:
        """What stands at the head of every page; empty at the end of what people judged."""
        interim = f"{self.interim}." if self.interim else ""
        return " ".join(filter(None, (MARKS.get(self.mark, ""), interim)))

    @property
    def parts(self) -> Iterator[Numbered]:
        yield from self.overview
        for section in self.sections:
            for answer in section.answers:
                yield from answer.parts

    @property
    def long_tables(self) -> list[Numbered]:
        return [part for part in self.parts if part.table and part.table.is_long]

    @property
    def has_further(self) -> bool:
        """Whether anything stands in the appendix."""
        return any(section.further for section in self.sections)

    @property
    def works(self) -> list[references.Work]:
        """What is cited, by author and year."""
        return references.cited([self.numbers, *self._texts()])

    @property
    def numbers(self) -> str:
        """What the numbers of figures and tables are."""
        return explained(self.parts)

    def _texts(self) -> Iterator[str]:
        """All that may cite."""
        yield from (paragraph.text for paragraph in self.methods)
        for part in self.parts:
            yield from (part.source, *map(references.recognised, part.part.get("notes", ())))
            yield references.recognised(f"{part.part['says']} {part.reading}")
        for section in self.sections:
            for answer in section.answers:
                yield from map(references.recognised, answer.says)
        yield from (references.recognised(why) for _, why in self.silent)


def draft(
    data: StudyData,
    fitting: Mapping[str, Analysis],
    results: Results,
    faults: Mapping[str, str],
) -> Draft:
    """The report of a study from the results of the analyses that fit it, by name."""
    overview = list(overview_tables.tables(data.study))
    computed = {name: results[name] for name in fitting if name in results}
    of_analyses = [(name, part) for name, each in computed.items() for part in each["parts"]]
    every = numbered([*overview, *of_analyses])
    unsaid = _said_once({name: each["says"] for name, each in computed.items()})
    of = {name: [part for part in every if part.analysis == name] for name in computed}
    answers = {name: Answer(name, fitting[name].asks, unsaid[name], of[name]) for name in computed}
    spoken = {name: answer for name, answer in answers.items() if answer.parts}
    silent = [
        (analysis.asks, _why_silent(name, results, faults))
        for name, analysis in fitting.items()
        if name not in spoken
    ]
    return Draft(
        data.study.title,
        data.study.mark,
        clock.now(),
        [*_beyond(data), *_findings(results)]
        + [why.rstrip(".") for why in papers.why_not_comparable(data.study)],
        paragraphs(data, results),
        every[: len(overview)],
        list(_sections(spoken)),
        silent,
        data.interim,
    )


def _why_silent(name: str, results: Results, faults: Mapping[str, str]) -> str:
    """Why an analysis has nothing to show."""
    if name in faults:
        return f"{NOT_COMPUTED} {faults[name]}"
    return " ".join(results[name]["says"][:1])


def _sections(spoken: Mapping[str, Answer]) -> Iterator[DraftSection]:
    """The sections with an answer, by the names of analyses."""
    for section in SECTIONS.values():
        answers = [spoken[each.name] for each in section.analyses if each.name in spoken]
        if answers:
            yield DraftSection(section.title, section.asks, answers)


def _said_once(says: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """What analyses say, without the paragraphs that one before has said."""
    seen: set[str] = set()
    once = {}
    for name, paragraphs_of_it in says.items():
        once[name] = [text for text in paragraphs_of_it if text not in seen]
        seen.update(paragraphs_of_it)
    return once


def _beyond(data: StudyData) -> list[str]:
    """That the planned end is not reached, or what was ordered after a ranking was visible."""
    interim = f"{data.interim}: what is found of systems may change" if data.interim else ""
    return list(
        filter(None, (interim, planned_end.sentence(data.ordered_later, data.planned_end)[:-1]))
    )


def _findings(results: Mapping[str, Any]) -> list[str]:
    """What matters most, in a sentence each."""
    return [
        ANALYSES[name].finding(dict(results[name]))
        for name in HIGHLIGHTS
        if name in results and results[name]["parts"]
    ]
