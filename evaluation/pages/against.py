"""One system against another."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

from evaluation.details import one_system, two_systems
from evaluation.details.two_systems import Document, OnTopic
from evaluation.pages.systems import Asked, asked_of
from judging.models import Run
from magnitudes.measures.names import parse
from web import sparklines
from web.long_lists import Column, listed
from web.text import natural

DOCUMENTS = "documents-"  # before the options of the list of documents


@gzip_page
@never_cache
@login_required
def against(request: HttpRequest, slug: str, run: str, other: str) -> HttpResponse:
    """Two systems: their differences by topic, the mean of these, and the documents behind them."""
    asked = asked_of(request, slug)
    means = {row["run"]: row["mean"] for row in asked.ranking["results"]}
    runs = Run.objects.filter(collection=asked.study.collection_id, tag__in=[run, other])
    stored = {each.tag: each for each in runs}
    if {run, other} - means.keys() or len(stored) < 2:
        raise Http404(f"{run} and {other} are no two systems that are ranked in this study.")
    titles = dict(asked.study.topics.values_list("topic__query_id", "topic__title"))
    rows = two_systems.on_topics(asked.ranking, run, other, titles)
    context = asked.context | {
        "here": "system",
        "run": run,
        "other": other,
        "mean": two_systems.mean(rows),
        "size": abs(means[run] - means[other]),
        "is_above": means[run] >= means[other],
        "differ": asked.test.differ(means[run], means[other]),
        "higher": sum(row.difference > 0 for row in rows),
        "lower": sum(row.difference < 0 for row in rows),
        **_topics(request, asked, rows, run, other),
        **_documents(request, asked, (stored[run], stored[other]), rows),
    }
    return render(request, "evaluation/against.html", context)


def _topics(
    request: HttpRequest, asked: Asked, rows: list[OnTopic], run: str, other: str
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
        "scale": sparklines.scale(axis, f"Difference by {asked.ranking['measure']}"),
    }


def _documents(
    request: HttpRequest, asked: Asked, runs: tuple[Run, Run], rows: list[OnTopic]
) -> dict[str, Any]:
    """The judged documents that stand at other ranks."""
    measure = parse(asked.ranking["measure"])
    columns = (
        Column[Document]("topic", "Topic", lambda row: natural(row.query_id), number=False),
        Column[Document]("document", "Document", lambda row: natural(row.doc_id), number=False),
        Column[Document]("gain", "Gain", lambda row: row.gain),
        Column[Document]("one", f"Rank in {runs[0]}", lambda row: row.one),
        Column[Document]("other", f"Rank in {runs[1]}", lambda row: row.other),
    )
    found = two_systems.documents(asked.study, runs, measure, rows)
    return {
        "documents": listed(found, request.GET, columns, "documents", DOCUMENTS),
        "documents_open": any(name.startswith(DOCUMENTS) for name in request.GET),
        "depth": one_system.depth_of(measure),
    }
