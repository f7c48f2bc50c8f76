"""The papers' figures and tables in their order: what they found, and what this study finds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from evaluation.analyses import ANALYSES, of_study, papers
from evaluation.analyses.agreement import differences, verdicts
from evaluation.analyses.quantities import where_it_lies
from evaluation.models import CachedAnalysis
from evaluation.pages.query import cached_results, results_page
from evaluation.presentation.parts import UNLABELLED, zeros_in_words
from judging.departures import departures
from judging.models import Study
from judging.studies import table_one
from judging.studies.access import study_for
from judging.studies.analysis_plan import headed, interim


class Pair(NamedTuple):
    """A place of a paper and what is there of this study: sentences, or why there is none.

    address, part: of the page that has it, and of its place there. is_same: whether the first
    sentence has the quantity that the paper has.
    """

    place: papers.Place
    ours: list[str]
    lacks: str = ""
    address: str = ""
    part: str = ""
    is_same: bool = False

    @property
    def state(self) -> str:
        """Which quantity ours is; empty where there is none."""
        return ("the same quantity" if self.is_same else "another quantity") if self.ours else ""


@results_page
def replication(request: HttpRequest, slug: str) -> HttpResponse:
    """Every figure and table of the papers beside what the study's analyses found."""
    study = study_for(request.user, slug)
    analyses = list(of_study(study).values())
    cached, context = cached_results(request, study, analyses)
    rows = {result.row.name: result.row for result in cached}
    heads = interim(study)
    groups = [
        (paper, [pair(study, place, rows, heads) for place in paper.places])
        for paper in papers.PAPERS
    ]
    pairs = [one for _, some in groups for one in some]
    is_comparable = papers.is_comparable(study)
    context |= {
        "groups": [
            (paper, some, sum(one.is_same if is_comparable else bool(one.ours) for one in some))
            for paper, some in groups
        ],
        "all": len(pairs),
        "found": sum(bool(one.ours) for one in pairs),
        "same": sum(one.is_same for one in pairs),
        "another": sum(bool(one.ours) and not one.is_same for one in pairs),
        "departures": departures(study),
        "resemblance": "" if is_comparable else papers.RESEMBLANCE,
    }
    return render(request, "evaluation/replication.html", context)


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
            place, [], f"Not for this study: {ANALYSES[place.analysis].applies_to.reason_if_not}."
        )
    address = reverse("analysis", args=[study.slug, row.name])
    parts = [part for part in place.parts if part in row.titles]
    if row.fault:
        return Pair(place, [], f"It could not be computed: {row.fault}", address)
    if row.computed_at is None:
        return Pair(place, [], "It is still to be computed.", address)
    if not row.titles or (place.parts and not parts):
        return Pair(place, [], f"{row.finding}.", address)
    quantity = place.ours(_numbers(study, row)) if place.ours else ""
    if place.ours and place.named and not quantity:
        return Pair(place, [], "This study does not have these numbers.", address)
    titles = [] if place.named else [row.titles[part] for part in parts]
    ours = (
        [quantity, *_where_theirs_lie(study, place, row)] if quantity else titles or [row.finding]
    )
    if ANALYSES[row.name].of_systems:
        ours = [headed(one, heads) for one in ours]
    if unlabelled := row.numbers.get(UNLABELLED):
        ours.append(zeros_in_words(unlabelled, not study.is_imported))
    part = f"{row.name}-{parts[0]}" if parts else ""
    return Pair(place, ours, "", address, part, bool(quantity) and place.same)


def _numbers(study: Study, row: CachedAnalysis) -> Mapping[str, Any]:
    """Those of an analysis; verdicts are recorded, and not computed."""
    if row.name != differences.ANALYSIS.name:
        return row.numbers
    return row.numbers | verdicts.shares_of_verdicts(study, row.label_set)


def _where_theirs_lie(study: Study, place: papers.Place, row: CachedAnalysis) -> list[str]:
    """Whether the paper's values lie in our intervals; people's alone are held against people's."""
    if not papers.is_comparable(study):
        return []
    lies = (where_it_lies(row.numbers, key, text) for key, text in place.values)
    known = "; its ".join(filter(None, lies))
    return [f"The paper’s {known}"] if known else []


def _table1(study: Study, place: papers.Place) -> Pair:
    """Table I is no analysis: it is on the overview."""
    if study.is_imported:
        return Pair(place, [], "Not for this study: its labels were imported, without units.")
    rows = table_one.table1(study)
    total = table_one.total(rows)
    if not total["completed"]:
        return Pair(place, [], "No unit is completed yet.")
    smooth, passed = (total[name] / total["completed"] for name in ("back_0", "fail_0"))
    ours = (
        f"{len(rows)} topics, {total['documents']:,} documents, {total['units']:,} units; "
        f"{smooth:.0%} without a back step, {passed:.0%} without a failed finish"
    )
    address = reverse("results", args=[study.slug])
    return Pair(place, [ours], "", address, "table1", place.same)
