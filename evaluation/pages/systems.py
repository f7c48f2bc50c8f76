"""The ranking, one system, and two systems compared."""

from dataclasses import dataclass, replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from evaluation.cache import stored
from evaluation.details import one_system, system_list
from evaluation.details.one_system import OnTopic, Unjudged
from evaluation.details.system_list import Ranking, System, Test
from evaluation.pages import rankings
from evaluation.pages.query import kept_query, labels_of, results_page, still_open
from evaluation.publishing import named_gains
from judging.models import Run, Study
from judging.studies.access import study_for
from magnitudes.comparison.significant_pairs import Verdict, verdict
from magnitudes.measures.names import Measure, parse, short
from web import sparklines
from web.long_lists import Column, Listed, listed
from web.text import natural

SYSTEMS = (
    Column[System]("rank", "Place", lambda row: -row.rank, hint="Equal means share a place"),
    Column[System]("run", "System", lambda row: natural(row.run), number=False),
    Column[System]("mean", "Mean", lambda row: row.mean),
    Column[System]("interval", "95% interval"),
    Column[System]("below", "Below the best", lambda row: row.below_best),
    Column[System]("judged", "Judged", lambda row: row.judged),
)
# The bars of a test of all pairs stand in the place of intervals of one mean each.
COMPARED = tuple(
    replace(column, title="Bar") if column.name == "interval" else column for column in SYSTEMS
)
TOPICS = (
    Column[OnTopic]("topic", "Topic", lambda row: natural(row.query_id), number=False),
    Column[OnTopic]("value", "Value", lambda row: row.value),
    Column[OnTopic]("place", "Place", lambda row: -row.place),
    Column[OnTopic]("median", "Median", lambda row: row.median),
    Column[OnTopic]("best", "Best", lambda row: row.best),
    Column[OnTopic]("below", "Below the best", lambda row: row.below),
)
UNJUDGED = (
    Column[Unjudged]("topic", "Topic", lambda row: natural(row.query_id), number=False),
    Column[Unjudged]("rank", "Rank", lambda row: -row.rank),
    Column[Unjudged]("document", "Document", number=False),
    Column[Unjudged]("pooled", "In the pool", lambda row: row.is_pooled, number=False),
)


@dataclass(frozen=True)
class RankingQuery:
    """The ranking that an address asks for, its test, and what is wrong with the address."""

    study: Study
    label_set: str
    versions: dict[str, str]  # of the study's analyses
    ranking: Ranking
    test: Test
    faults: dict[str, str]
    kept: str  # what links to other systems take along
    still_open: int  # units that are not done

    @property
    def context(self) -> dict[str, Any]:
        """What all pages of systems show."""
        gains = self.ranking["gains"]
        choices = named_gains.choices(self.study)
        measures = list(dict.fromkeys([*rankings.offered(self.study), self.ranking["measure"]]))
        return {
            "study": self.study,
            "ranking": self.ranking,
            "interim": self.ranking["interim"] if self.ranking["results"] else "",
            "test": self.test,
            "faults": self.faults,
            "query": self.kept,
            "on": f"{self.kept}&" if self.kept else "?",  # and the order of a list, say
            "kept": QueryDict(self.kept.removeprefix("?")).items(),
            "measures": measures,
            "other_gains": gains != named_gains.usual(self.study),
            "gains_choices": choices | {gains: choices.get(gains, "as asked for")},
        }

    @property
    def measure(self) -> Measure:
        return parse(self.ranking["measure"])

    @property
    def verdict(self) -> Verdict | None:
        """What may be said of all systems; None: the test has not said it yet."""
        by = f"{short(self.ranking['measure'])} of the {self.ranking['gains']} gains"
        return verdict(self.test.told, self.still_open, by) if self.test.told else None

    @property
    def titles(self) -> dict[str, str]:
        """Those of topics, by their numbers."""
        return dict(self.study.topics.values_list("topic__query_id", "topic__title"))

    def run(self, tag: str) -> Run | None:
        return Run.objects.filter(collection=self.study.collection_id, tag=tag).first()


def query_of(request: HttpRequest, slug: str) -> RankingQuery:
    """What an address asks for; by the first of the usual measures unless it names one."""
    study = study_for(request.user, slug)
    label_set = labels_of(request, study)
    (ranking, *_), faults = rankings.chosen_or_usual(study, rankings.options_in(request))
    versions = stored.versions(study)
    test = system_list.test_of(study, ranking, label_set, timezone.now(), versions)
    query = RankingQuery(
        *(study, label_set, versions, ranking, test, faults),
        kept=kept_query(request.GET),
        still_open=still_open(study),
    )
    if query.still_open or (query.verdict and not query.verdict.beside):
        return replace(query, test=replace(test, critical=None, is_early=True))
    return query


@results_page
def systems(request: HttpRequest, slug: str) -> HttpResponse:
    """All systems by one measure, best first."""
    query = query_of(request, slug)
    context = query.context | table_of(request, query)
    context["verdict"] = query.verdict
    return render(request, "evaluation/systems.html", context)


def table_of(request: HttpRequest, query: RankingQuery) -> dict[str, Any]:
    """The systems as a table that is sorted and paged by the address."""
    rows = system_list.systems(query.ranking, query.test)
    critical = query.test.critical
    if critical is not None:  # one kind of interval on a page
        rows = [row.compared(critical) for row in rows]
    axis = sparklines.Axis.of(
        [end for row in rows for end in (row.low, row.mean, row.high) if end is not None]
    )
    columns = SYSTEMS if critical is None else COMPARED
    page = listed(rows, request.GET, columns, "systems")
    edge = rows[0].low if rows and critical is not None else None
    return {
        "list": page,
        "drawn": [(row, _interval(axis, row, edge)) for row in page.rows],
        "edge": edge,
        "scale": sparklines.scale(axis, short(query.ranking["measure"])),
        "best": rows[0] if rows else None,
        "others": len(rows) - 1,
        "like_best": system_list.like_best(rows),
        "is_cut": any(row.is_cut for row in page.rows),
    }


def _interval(axis: sparklines.Axis, row: System, edge: float | None) -> str:
    ends = "" if row.low is None else f" ({row.low:.3f} to {row.high:.3f})"
    label = f"{row.run}: place {row.rank}, {row.mean:.4f}{ends}"
    return sparklines.interval(axis, row.low, row.mean, row.high, label, edge)


@results_page
def system(request: HttpRequest, slug: str, run: str) -> HttpResponse:
    """One system: its topics against the best and the median, and its unjudged documents."""
    query = query_of(request, slug)
    stored = query.run(run)
    rows = system_list.systems(query.ranking, query.test)
    own = next((row for row in rows if row.run == run), None)
    if stored is None or (own is None and rows):
        names = ", ".join(row.run for row in rows[:10])
        raise Http404(f"No system {run} is ranked in this study; there are {names or 'none yet'}.")
    other = request.GET.get("with", "")
    if own is not None and any(row.run == other != run for row in rows):
        return redirect(reverse("against", args=[slug, run, other]) + query.kept)
    context = query.context | {"run": run, "own": own, "systems": rows}
    if own is not None:
        differ = [query.test.differ(own.mean, row.mean) for row in rows]
        context |= {
            "others": len(rows) - 1,
            "alike": differ.count(False) - 1,  # itself left out
            **_topics(request, query, run),
            **_unjudged(request, query, stored),
        }
    return render(request, "evaluation/system.html", context)


def _topics(request: HttpRequest, query: RankingQuery, run: str) -> dict[str, Any]:
    """The topics of a system, drawn on one axis."""
    rows = one_system.on_topics(query.ranking, run, query.titles)
    page: Listed[OnTopic] = listed(rows, request.GET, TOPICS, "topics")
    axis = sparklines.Axis.of([0.0, *(row.best for row in rows)])
    drawn = [
        (
            row,
            sparklines.among(
                *(axis, row.value, row.median, row.best),
                f"{row.value:.3f}; median {row.median:.3f}, best {row.best:.3f}",
            ),
        )
        for row in page.rows
    ]
    return {
        "list": page,
        "drawn": drawn,
        "scale": sparklines.scale(axis, short(query.ranking["measure"])),
        "best_on": sum(row.place == 1 for row in rows),
        "below_median": sum(row.value < row.median for row in rows),
    }


def _unjudged(request: HttpRequest, query: RankingQuery, run: Run) -> dict[str, Any]:
    """The documents near the top of a system's lists that nobody has judged."""
    rows = one_system.unjudged(query.study, run, query.measure)
    page = listed(rows, request.GET, UNJUDGED, "unjudged", "unjudged-")
    ids = one_system.doc_ids([(row.topic, row.code) for row in page.rows])
    return {
        "unjudged": page,
        "unjudged_named": [(row, ids[row.topic, row.code]) for row in page.rows],
        "depth": one_system.depth_of(query.measure),
    }
