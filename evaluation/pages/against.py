"""One system against another."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.details import one_system, two_systems
from evaluation.details.two_systems import Document, OnTopic
from evaluation.pages.query import results_page
from evaluation.pages.systems import RankingQuery, query_of
from judging.models import Run
from magnitudes.measures.names import short
from web import sparklines
from web.long_lists import Column, listed
from web.text import natural

DOCUMENTS = "documents-"  # before the options of the list of documents


@results_page
def against(request: HttpRequest, slug: str, run: str, other: str) -> HttpResponse:
    """Two systems: their differences by topic, the mean of these, and the documents behind them."""
    query = query_of(request, slug)
    means = {row["run"]: row["mean"] for row in query.ranking["results"]}
    one, another = query.run(run), query.run(other)
    if {run, other} - means.keys() or one is None or another is None or run == other:
        raise Http404(f"{run} and {other} are no two systems that are ranked in this study.")
    rows = two_systems.on_topics(query.ranking, run, other, query.titles)
    context = query.context | {
        "run": run,
        "other": other,
        "mean": two_systems.mean(rows),
        "size": abs(means[run] - means[other]),
        "is_above": means[run] >= means[other],
        "differ": query.test.differ(means[run], means[other]),
        "higher": sum(row.difference > 0 for row in rows),
        "lower": sum(row.difference < 0 for row in rows),
        **_topics(request, query, rows, run, other),
        **_documents(request, query, (one, another), rows),
    }
    return render(request, "evaluation/against.html", context)


def _topics(
    request: HttpRequest, query: RankingQuery, rows: list[OnTopic], run: str, other: str
) -> dict[str, Any]:
    """The differences by topic as bars on one axis."""
    columns = (
        Column[OnTopic]("topic", "Topic", lambda row: natural(row.query_id), number=False),
        Column[OnTopic]("difference", "Difference", lambda row: row.difference),
        Column[OnTopic]("one", run, lambda row: row.one),
        Column[OnTopic]("other", other, lambda row: row.other),
    )
    most = max((abs(row.difference) for row in rows), default=0.0) or 1.0
    axis = sparklines.Axis(-most, most)
    page = listed(rows, request.GET, columns, "topics")
    return {
        "list": page,
        "drawn": [
            (row, sparklines.bar(axis, row.difference, f"{row.difference:+.4f}"))
            for row in page.rows
        ],
        "scale": sparklines.scale(axis, f"Difference by {short(query.ranking['measure'])}"),
    }


def _documents(
    request: HttpRequest, query: RankingQuery, runs: tuple[Run, Run], rows: list[OnTopic]
) -> dict[str, Any]:
    """The judged documents that stand at other ranks."""
    columns = (
        Column[Document]("topic", "Topic", lambda row: natural(row.query_id), number=False),
        Column[Document]("document", "Document", lambda row: natural(row.doc_id), number=False),
        Column[Document]("gain", "Gain", lambda row: row.gain),
        Column[Document]("one", f"Rank in {runs[0]}", lambda row: row.one),
        Column[Document]("other", f"Rank in {runs[1]}", lambda row: row.other),
    )
    moved = two_systems.documents(query.study, runs, query.measure, rows)
    return {
        "documents": listed(moved, request.GET, columns, "documents", DOCUMENTS),
        "documents_open": any(name.startswith(DOCUMENTS) for name in request.GET),
        "depth": one_system.depth_of(query.measure),
    }
