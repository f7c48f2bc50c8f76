"""What a report says, before it is a document for TeX or a page: texts and numbered parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evaluation.analyses import ANALYSES, SECTIONS, Analysis
from evaluation.analyses.study.data import StudyData
from evaluation.report import overview_tables
from evaluation.report.methods import Paragraph, Results, paragraphs
from evaluation.report.numbering import Numbered, numbered
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
    def figures(self) -> list[Numbered]:
        return [part for part in self.parts if part.is_figure]

    @property
    def tables(self) -> list[Numbered]:
        return [part for part in self.parts if not part.is_figure]


@dataclass(frozen=True)
class DraftSection:
    title: str
    asks: str
    answers: list[Answer]


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

    @property
    def marked(self) -> str:
        """What stands at the head of every page; empty where people judged in earnest."""
        return MARKS.get(self.mark, "")

    @property
    def parts(self) -> Iterator[Numbered]:
        yield from self.overview
        for section in self.sections:
            for answer in section.answers:
                yield from answer.parts


def draft(
    data: StudyData,
    fitting: Mapping[str, Analysis],
    results: Results,
    faults: Mapping[str, str],
) -> Draft:
    """The report of a study from the results of the analyses that fit it, by name."""
    overview = list(overview_tables.tables(data.study))
    of_analyses = [
        (name, part) for name in fitting if name in results for part in results[name]["parts"]
    ]
    every = numbered([*overview, *of_analyses])
    answers = {
        name: Answer(
            name,
            fitting[name].asks,
            list(results[name]["says"]),
            [part for part in every[len(overview) :] if part.analysis == name],
        )
        for name in fitting
        if name in results
    }
    spoken = {name: answer for name, answer in answers.items() if answer.parts}
    silent = [
        (
            analysis.asks,
            f"{NOT_COMPUTED} {faults[name]}"
            if name in faults
            else " ".join(answers[name].says[:1]),
        )
        for name, analysis in fitting.items()
        if name not in spoken
    ]
    sections = [
        DraftSection(
            section.title,
            section.asks,
            [spoken[each.name] for each in section.analyses if each.name in spoken],
        )
        for section in SECTIONS.values()
    ]
    return Draft(
        data.study.title,
        data.study.mark,
        clock.now(),
        _findings(results),
        paragraphs(data, results),
        every[: len(overview)],
        [section for section in sections if section.answers],
        silent,
    )


def _findings(results: Mapping[str, Any]) -> list[str]:
    """What matters most, in a sentence each."""
    return [
        ANALYSES[name].finding(dict(results[name]))
        for name in HIGHLIGHTS
        if name in results and results[name]["parts"]
    ]
