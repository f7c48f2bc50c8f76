"""What a report says, before it is a document for TeX or a page: texts and numbered parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from evaluation.analyses import ANALYSES, SECTIONS, Analysis, papers
from evaluation.publishing import planned_end
from evaluation.report import captions, methods, overview_tables, references
from evaluation.report.methods import Paragraph, Results
from evaluation.report.numbering import HEAD, Numbered, explained, numbered, paper_of
from evaluation.report.sections import (
    RESEARCH,
    Answer,
    DraftSection,
    Float,
    Row,
    headed_once,
    shown,
)
from evaluation.study.data import StudyData
from judging.models import Role, Study
from magnitudes.files.words import count
from web import clock

MARKS = {
    "simulated": "Simulated: no number in this report comes from a person.",
    "demo": "A demonstration.",
    "rehearsal": "A rehearsal: these are not the data of the study.",
    "model": "A language model judged, not people; they stand beside it in one section at most.",
    "imported": "The judgments were made elsewhere, and imported.",
}
RESEMBLANCE = (  # that of `papers`, for whom no paper is "the paper"
    "The artificial workers are made to resemble the people who judged for Maddalena and others "
    "[@maddalena2017]: that numbers agree with theirs says nothing of people"
)
NOT_COMPUTED = "This could not be computed:"
# Whose findings the abstract has, as many as `IN_ABSTRACT` of them.
HIGHLIGHTS = ("significance", "internal", "rankings", "labels", "enough", "weights", "consistency")
IN_ABSTRACT = 3
NO_FINDING = "Too few topics", "Cannot say"  # what it begins with, where there is none
# Paragraphs of the methods that a paper has elsewhere: in sections of their own, in its appendix.
ETHICS, AVAILABILITY = ("Workers, consent and pay",), ("Seeds and software",)
DETAILS = "Tests and intervals", "Analyses"


@dataclass(frozen=True)
class Draft:
    """The whole. silent: questions without an answer here, and why."""

    title: str
    subtitle: str
    mark: str
    made_at: datetime
    authors: list[str]
    is_graded: bool
    context: str
    findings: list[str]
    limits: list[str]
    methods: list[Paragraph]
    related: str
    limitations: str
    overview: list[Float]
    sections: list[DraftSection]
    silent: list[tuple[str, str]]
    judges: str = ""
    interim: str = ""  # heads claims about systems until the planned end

    @property
    def marked(self) -> str:
        """What stands at the head of every page; empty at the end of what people judged."""
        interim = f"{self.interim}." if self.interim else ""
        judged = f"Judged by {self.judges}." if self.mark == "demo" else ""
        return " ".join(filter(None, (MARKS.get(self.mark, ""), judged, interim)))

    @property
    def abstract(self) -> list[str]:
        """What follows the context: findings, and their limits."""
        said = [*self.findings, *self.limits]
        return headed_once(sorted(said, key=lambda text: bool(HEAD.match(text))))

    @property
    def method(self) -> list[Paragraph]:
        """The methods without what stands elsewhere."""
        elsewhere = (*ETHICS, *AVAILABILITY, *DETAILS)
        return [each for each in self.methods if each.heading not in elsewhere]

    @property
    def ethics(self) -> list[Paragraph]:
        return [each for each in self.methods if each.heading in ETHICS]

    @property
    def availability(self) -> list[Paragraph]:
        return [each for each in self.methods if each.heading in AVAILABILITY]

    @property
    def details(self) -> list[Paragraph]:
        """What stands in the appendix."""
        return [each for each in self.methods if each.heading in DETAILS]

    @property
    def floats(self) -> Iterator[Float]:
        """Each of them is a file for TeX."""
        yield from self.overview
        for section in self.sections:
            for answer in section.answers:
                yield from answer.floats

    @property
    def parts(self) -> Iterator[Numbered]:
        yield from (each.first for each in self.overview)
        for section in self.sections:
            for answer in section.answers:
                yield from answer.parts

    @property
    def method_tables(self) -> list[Float]:
        """Those of the overview that no section leads with."""
        led = [each for section in self.sections for each in section.lead]
        return [each for each in self.overview if each not in led]

    @property
    def method_rows(self) -> list[Row]:
        return [Row([each]) for each in self.method_tables]

    @property
    def long_tables(self) -> list[Float]:
        tables = ((each, each.first.table) for each in self.floats)
        return [each for each, table in tables if table and table.is_long]

    @property
    def has_further(self) -> bool:
        """Whether analyses have anything in the appendix."""
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
        yield from (self.context, self.related, self.limitations, *self.findings, *self.limits)
        for each in self.floats:
            if each.first.is_figure:
                yield references.recognised(each.caption)
        for part in self.parts:
            yield from (part.source, *map(references.recognised, part.notes))
            yield references.recognised(f"{part.title} {part.reading}")
        for section in self.sections:
            for answer in section.answers:
                yield from map(references.recognised, (answer.finding, *answer.says))
        yield from (references.recognised(why) for _, why in self.silent)


def draft(
    data: StudyData,
    fitting: Mapping[str, Analysis],
    results: Results,
    faults: Mapping[str, str],
) -> Draft:
    """The report of a study from the results of the analyses that fit it, by name."""
    how_many = captions.counts(data)
    overview = list(overview_tables.tables(data.study))
    computed = {name: results[name] for name in fitting if name in results}
    of_analyses = [(name, part) for name, each in computed.items() for part in each["parts"]]
    every = numbered([*overview, *of_analyses])
    unsaid = _said_once({name: each["says"] for name, each in computed.items()})
    answers = {
        name: Answer(
            name,
            fitting[name].asks,
            _named(name, _settled(fitting[name].finding(dict(each)), data)),
            [_named(name, text) for text in unsaid[name]],
            [part for part in every if part.analysis == name],
            shown(name),
            how_many,
        )
        for name, each in computed.items()
    }
    spoken = {name: answer for name, answer in answers.items() if answer.parts}
    silent = [
        (analysis.asks, _why_silent(name, results, faults))
        for name, analysis in fitting.items()
        if name not in spoken
    ]
    own = [Float([part], how_many) for part in every[: len(overview)]]
    limits, sections = _limits(data, results), list(_sections(spoken, own))
    told = methods.around(data, results, headed_once(limits), silent)
    return Draft(
        title=data.study.title,
        subtitle=_subtitle(data, how_many),
        mark=data.study.mark,
        made_at=clock.now(),
        authors=_authors(data.study),
        is_graded=data.study.is_graded,
        context=methods.in_short(data),
        findings=_findings(data, results),
        limits=limits,
        methods=methods.paragraphs(data, results),
        related=told["Related work"],
        limitations=told["Limitations"],
        overview=own,
        sections=sections,
        silent=silent,
        judges=methods.who_judged(data),
        interim=data.interim,
    )


def _subtitle(data: StudyData, how_many: Mapping[str, str]) -> str:
    how = "on levels" if data.study.is_graded else "by magnitude estimation"
    of = [how_many["systems"], how_many["topics"]] if data.runs else [how_many["topics"]]
    return f"{' on '.join(of)}, judged {how}"


def _authors(study: Study) -> list[str]:
    """The names of those on the team who do more than look."""
    members = study.memberships.exclude(role=Role.VIEWER).order_by("pk").select_related("user")
    return [each.user.get_full_name() or each.user.get_username() for each in members]


def _why_silent(name: str, results: Results, faults: Mapping[str, str]) -> str:
    """Why an analysis has nothing to show."""
    if name in faults:
        return f"{NOT_COMPUTED} {faults[name]}"
    return _named(name, " ".join(results[name]["says"][:1]))


def _sections(spoken: Mapping[str, Answer], overview: list[Float]) -> Iterator[DraftSection]:
    """The sections with an answer, by the names of analyses."""
    for name, section in SECTIONS.items():
        answers = [spoken[each.name] for each in section.analyses if each.name in spoken]
        if answers:
            lead = [each for each in overview if each.first.part["name"] == "rankings"]
            research = RESEARCH[name]
            yield DraftSection(
                research.title, research.question, answers, lead if name == "systems" else []
            )


def _said_once(says: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """What analyses say, without paragraphs that one before has said, or the limitations say."""
    seen: set[str] = {papers.RESEMBLANCE, papers.OF_MODEL}
    once = {}
    for name, paragraphs_of_it in says.items():
        once[name] = [text for text in paragraphs_of_it if text not in seen]
        seen.update(paragraphs_of_it)
    return once


def _named(name: str, text: str) -> str:
    """What an analysis says, with the work that it calls "the paper"."""
    return references.with_antecedent(text, paper_of(name))


def _settled(text: str, data: StudyData) -> str:
    """A finding that says of what it is, where on a page it says "so far"."""
    said = f"On {count(len(data.topics), 'topic')}, too few for an interval, "
    return text.replace("So far ", said, 1)


def _findings_by_analysis(data: StudyData, results: Results) -> dict[str, str]:
    """The finding of each of the highlights, in a sentence without a full stop."""
    return {
        name: _named(name, _settled(ANALYSES[name].finding(dict(results[name])), data))
        for name in HIGHLIGHTS
        if name in results and results[name]["parts"]
    }


def _is_finding(text: str, data: StudyData) -> bool:
    return not text.removeprefix(f"{data.interim}: ").startswith(NO_FINDING)


def _findings(data: StudyData, results: Results) -> list[str]:
    """What matters most, in a sentence each."""
    findings = _findings_by_analysis(data, results).values()
    first = [text for text in findings if _is_finding(text, data)][:IN_ABSTRACT]
    every = "\n".join(first).replace("tau", "Kendall's tau", 1)
    return every.split("\n") if first else []


def _limits(data: StudyData, results: Results) -> list[str]:
    """Why no more can be said, in a sentence each."""
    unsaid = [
        text
        for text in _findings_by_analysis(data, results).values()
        if not _is_finding(text, data)
    ]
    later = planned_end.sentence(data.ordered_later, data.planned_end)[:-1]
    interim = f"{data.interim}: what is found of systems may change" if data.interim else ""
    alike = [
        each.replace(papers.RESEMBLANCE, RESEMBLANCE)
        for each in papers.why_not_comparable(data.study)
    ]
    return list(filter(None, (*unsaid, interim, later, *alike)))
