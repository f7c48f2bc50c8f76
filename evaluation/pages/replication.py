"""The papers' figures and tables in their order, as pictures of this study beside their values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from evaluation.analyses import ANALYSES, of_study, papers
from evaluation.analyses.agreement import differences, verdicts
from evaluation.analyses.quantities import Compared, all_compared
from evaluation.models import CachedAnalysis
from evaluation.pages import replication_strips
from evaluation.pages.query import cached_results, results_page
from evaluation.presentation.parts import UNLABELLED, zeros_in_words
from judging.departures import departures
from judging.models import Study
from judging.studies import table_one
from judging.studies.access import study_for
from judging.studies.analysis_plan import headed, interim
from magnitudes.files.words import count
from web.files import attachment
from web.formats import csv_lines

MOST_PICTURES = 2  # of a place
SAME, OTHER, NONE = "same quantity", "other quantity", "none"
COLUMNS = (
    *("paper", "place", "state", "quantity", "papers_value", "value", "difference"),
    *("difference_low", "difference_high", "low", "high", "papers_value_is_inside"),
)


STAND = "number of the papers stands", "numbers of the papers stand"


class Picture(NamedTuple):
    """A small picture of ours; part: of the analysis, which has it large and as files."""

    svg: SafeString
    says: str
    part: str = ""


class Pair(NamedTuple):
    """A place of a paper and what is there of this study, or why there is nothing.

    ours: sentences, where there are no numbers to compare; notes: on what is compared.
    """

    place: papers.Place
    ours: list[str]
    lacks: str = ""
    address: str = ""
    anchor: str = ""
    compared: list[Compared] = []
    pictures: list[Picture] = []
    notes: list[str] = []
    is_same: bool = False

    @property
    def state(self) -> str:
        if not self.ours and not self.pictures and not self.compared:
            return NONE
        return SAME if self.is_same else OTHER

    @property
    def has_intervals(self) -> bool:
        return any(each.interval for each in self.compared)

    @property
    def gives_no_error(self) -> bool:
        """Whether the paper gives no error of any of its values."""
        return not any(each.difference.has_interval for each in self.compared)


class Counts(NamedTuple):
    """How many places have which state, and of how many quantities we have an interval."""

    places: int
    same: int
    other: int
    quantities: int
    intervals: int
    inside: int

    @classmethod
    def of(cls, pairs: list[Pair]) -> "Counts":
        states = [pair.state for pair in pairs]
        compared = [each for pair in pairs for each in pair.compared]
        known = [each.is_inside for each in compared if each.is_inside is not None]
        counts = len(pairs), states.count(SAME), states.count(OTHER)
        return cls(*counts, len(compared), len(known), sum(known))

    @property
    def none(self) -> int:
        return self.places - self.same - self.other

    @property
    def headline(self) -> str:
        """What the comparison can say, and no more."""
        if not self.quantities:
            return "No number of the papers can be compared with one of this study"
        beside = f"beside the same quantity of this study{'' if self.intervals else ', without'}"
        if not self.intervals:
            return f"{count(self.quantities, *STAND)} {beside} an interval"
        numbers = count(self.intervals, "number of the papers", "numbers of the papers")
        lie = "lies" if self.inside == 1 else "lie"
        inside = f"{self.inside} of {numbers} {lie} in the interval of this study"
        others = self.quantities - self.intervals
        return f"{inside}; {others:,} more can be compared, without one" if others else inside


def pairs_of(
    study: Study, rows: Mapping[str, CachedAnalysis]
) -> list[tuple[papers.Paper, list[Pair]]]:
    """What a study has at each place of each paper; rows: its analyses, by name."""
    heads = interim(study)
    return [
        (paper, [pair(study, place, rows, heads) for place in paper.places])
        for paper in papers.PAPERS
    ]


@results_page
def replication(request: HttpRequest, slug: str) -> HttpResponse:
    """Every figure and table of the papers, drawn of this study."""
    study = study_for(request.user, slug)
    cached, context = cached_results(
        request, study, list(of_study(study).values()), thumbnails=True
    )
    groups = pairs_of(study, {result.row.name: result.row for result in cached})
    is_comparable = papers.is_comparable(study)
    context |= {
        "groups": [(paper, pairs, Counts.of(pairs)) for paper, pairs in groups],
        "counts": Counts.of([pair for _, pairs in groups for pair in pairs]),
        "is_comparable": is_comparable,
        "departures": departures(study),
        "resemblance": "".join(papers.why_not_comparable(study)),
    }
    return render(request, "evaluation/replication.html", context)


@results_page
def download(request: HttpRequest, slug: str) -> HttpResponse:
    """What is compared, as a table; of artificial workers how much of it there is, alone."""
    study = study_for(request.user, slug)
    cached, _ = cached_results(request, study, list(of_study(study).values()))
    groups = pairs_of(study, {result.row.name: result.row for result in cached})
    lines = csv_lines(
        COLUMNS, _rows(groups), for_spreadsheet=request.GET.get("for") == "spreadsheet"
    )
    return HttpResponse(
        "".join(lines),
        content_type="text/csv; charset=utf-8",
        headers=attachment(study.file_name("replication", "csv")),
    )


def _rows(groups: Iterable[tuple[papers.Paper, list[Pair]]]) -> Iterator[list[Any]]:
    for paper, pairs in groups:
        for one in pairs:
            place = [paper.short, one.place.name, one.state]
            for of in one.compared:
                ends = of.difference.low, of.difference.high, of.ours.low, of.ours.high
                known = [None if end != end else end for end in ends]
                inside = "" if of.is_inside is None else "yes" if of.is_inside else "no"
                numbers = of.theirs.number, of.ours.number, of.difference.number
                yield [*place, of.quantity, *numbers, *known, inside]
            if not one.compared:
                yield [*place, *[None] * (len(COLUMNS) - len(place))]


def pair(
    study: Study, place: papers.Place, rows: Mapping[str, CachedAnalysis], heads: str = ""
) -> Pair:
    """What a study has at a place of a paper.

    rows: its analyses, by name; heads: what claims about systems begin with until the planned end.
    """
    if place.analysis == papers.TABLE_I:
        return _table1(study, place)
    row = rows.get(place.analysis)
    if row is None:
        return Pair(
            place, [], f"Not applicable: {ANALYSES[place.analysis].applies_to.reason_if_not}."
        )
    address = reverse("analysis", args=[study.slug, row.name])
    parts = [part for part in place.parts if part in row.titles]
    if row.fault:
        return Pair(place, [], f"It could not be computed: {row.fault}", address)
    if row.computed_at is None:
        return Pair(place, [], "It is still to be computed.", address)
    if not row.titles or (place.parts and not parts):
        return Pair(place, [], "This study has no data for it.", address)
    numbers = _numbers(study, row)
    sentence = place.ours(numbers) if place.ours else ""
    every = list(all_compared(place.compare, numbers))
    compared = every if papers.is_comparable(study) else []
    pictures = [
        Picture(_safe(row.thumbnails[part]), row.titles[part], part)
        for part in parts[:MOST_PICTURES]
        if part in row.thumbnails
    ]
    pictures += _strip(place, every, pictures, is_comparable=bool(compared))
    title = next((picture.says for picture in pictures if picture.part), row.finding)
    ours = [sentence] if sentence else [] if compared else [title]
    notes = []
    if ANALYSES[row.name].of_systems:
        ours = [headed(one, heads) for one in ours]
        notes += [f"{heads}."] if heads and compared else []
    if unlabelled := row.numbers.get(UNLABELLED):
        notes.append(zeros_in_words(unlabelled, not study.is_imported))
    anchor = f"{row.name}-{parts[0]}" if parts else ""
    is_same = bool(compared or (sentence and place.same and papers.is_comparable(study)))
    return Pair(place, ours, "", address, anchor, compared, pictures, notes, is_same)


def _safe(svg: str) -> SafeString:
    return mark_safe(svg)  # noqa: S308 - drawn here


def _strip(
    place: papers.Place, every: list[Compared], pictures: list[Picture], *, is_comparable: bool
) -> list[Picture]:
    """The quantities on one axis, where no picture has the paper's values, or there is none."""
    is_drawn = any('class="of-paper"' in picture.svg for picture in pictures)
    if is_drawn or (pictures and not is_comparable):
        return []
    svg = replication_strips.strip(every, place.shows, beside_paper=is_comparable)
    return [Picture(_safe(svg), place.shows)] if svg else []


def _numbers(study: Study, row: CachedAnalysis) -> Mapping[str, Any]:
    """Those of an analysis; verdicts are recorded, and not computed."""
    if row.name != differences.analyse.name:
        return row.numbers
    return row.numbers | verdicts.shares_of_verdicts(study, row.label_set)


def _table1(study: Study, place: papers.Place) -> Pair:
    """Table I is no analysis: it is on the overview."""
    if study.is_imported:
        return Pair(place, [], "Not applicable: its labels were imported, without units.")
    rows = table_one.table1(study)
    total = table_one.total(rows)
    if not total["completed"]:
        return Pair(place, [], "No unit is completed yet.")
    shares = {name: total[name] / total["completed"] for name in ("back_0", "fail_0")}
    size = f"{len(rows)} topics, {total['documents']:,} documents, {total['units']:,} units"
    every = list(all_compared(place.compare, shares))
    is_comparable = papers.is_comparable(study)
    compared = every if is_comparable else []
    address = reverse("results", args=[study.slug])
    pictures = _strip(place, every, [], is_comparable=is_comparable)
    return Pair(place, [size], "", address, "table1", compared, pictures, is_same=is_comparable)
