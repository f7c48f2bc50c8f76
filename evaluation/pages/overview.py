"""The overview of the results of a study, and its files."""

from dataclasses import replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import condition

from evaluation import pipeline
from evaluation.api import files
from evaluation.api.views import CONTENT_TYPES, etag
from evaluation.cache import page
from evaluation.pages import cards, rankings, systems
from evaluation.pages.query import results_page
from evaluation.publishing import exports, named_gains
from evaluation.publishing.whole_qrels import whole_qrels
from judging.collections import opinion_counts
from judging.models import Study
from judging.monitoring.cache import cached_per_revision
from judging.monitoring.watch import Lights, lights
from judging.studies import table_one
from judging.studies.access import study_for
from web import clock
from web.files import attachment


@results_page
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """The results of one study: six answers, the ranking, and its Table I."""
    query = systems.query_of(request, slug)
    study, ranking = query.study, query.ranking
    context = query.context | {
        "ranking": rankings.with_files(study, ranking),
        "source": ranking["source"],
    }
    if ranking["results"]:
        context |= systems.table_of(request, query)
    if study.is_imported:
        context |= _elsewhere(study) | _answers(request, query)
        return render(request, "evaluation/imported.html", context)
    watched = lights(study, clock.now())
    here = _here(watched, is_evaluated=ranking["source"] is not None)
    of_people = (watched, here["pay"]) if study.takes_people else ()
    context |= here | _answers(request, query, *of_people)
    return render(request, "evaluation/study.html", context)


def _answers(
    request: HttpRequest,
    query: systems.RankingQuery,
    watched: Lights | None = None,
    pay: table_one.Pay | None = None,
) -> dict[str, Any]:
    """The cards and the heading, once there is something to say."""
    study, ranking = query.study, query.ranking
    if ranking["source"] is None:
        return {}
    measure, gains = next(iter(pipeline.measures(study)), ""), named_gains.usual(study)
    if not measure:
        ranking = {**ranking, "results": []}
    elif (ranking["measure"], ranking["gains"]) != (measure, gains):
        ranking = rankings.ranking(study, measure)
    answers = cards.answers(
        *(study, query.label_set, query.versions, ranking, watched, pay, query.still_open)
    )
    links, chosen = page.Links.of_study(study, query.label_set), page.chosen_in(request.GET)
    return answers._asdict() | {
        "cards": [
            replace(card, picture=page.answering(card.picture, chosen, links))
            for card in answers.cards
        ]
    }


@results_page
def study_files(request: HttpRequest, slug: str) -> HttpResponse:
    """The tables of one study as files, by the measure and the gains that are asked for."""
    query = systems.query_of(request, slug)
    study, ranking = query.study, query.ranking
    usual, gains = named_gains.usual(study), rankings.options_in(request)
    chosen = {n: value for n, value in gains.items() if n not in query.faults and value != usual}
    context = {
        "study": study,
        "source": ranking["source"],
        "gains": ranking["gains"],
        "other_gains": ranking["gains"] != usual,
        "files": _files(study, chosen),
    }
    return render(request, "evaluation/files.html", context)


def _files(study: Study, shown: dict[str, str]) -> dict[str, dict[str, str]]:
    """The addresses of all files: of each table, by format. Its CSV is for spreadsheets."""

    def address(table: str, file_format: str, **further: str) -> str:
        options = exports.options_of(table, shown) | further
        path = reverse("download", args=[study.slug, table, file_format])
        return rankings.addressed(path, options)

    more = {"csv": {"for": "spreadsheet"}}
    addresses = {
        name: {written: address(name, written, **more.get(written, {})) for written in of.formats}
        for name, of in exports.exports_of(study).items()
    }
    addresses["qrels"]["whole numbers"] = address("qrels", "trec", whole="yes")
    return addresses


def _here(watched: Lights, *, is_evaluated: bool) -> dict[str, Any]:
    """What a crowd has done on this site."""
    study, watch = watched.watch.study, watched.watch
    rows, read = table_one.table1(study), watch.reading
    total = table_one.total(rows)
    return {
        "progress": watch.progress,
        "flow": watch.flow,
        # Somebody is at work, or what was done is not evaluated yet.
        "changes": not watch.flow.is_at_rest or (watch.progress.completed and not is_evaluated),
        "table1": rows,
        "total": total,
        "shares": table_one.shares(total),
        "seconds": read.all,
        "seconds_without_long": read.without_long,
        "pay": table_one.pay(study),
        "anchors": watch.anchors,
    }


def _elsewhere(study: Study) -> dict[str, Any]:
    """What was imported; another import raises the revision."""
    totals = cached_per_revision(
        study, f"totals-{study.main_aspect}", lambda: opinion_counts.totals(study)
    )
    aspects, levels = cached_per_revision(study, "levels", lambda: opinion_counts.by_level(study))
    return {
        "totals": totals,
        "aspects": aspects,
        "levels": [(name, counts, sum(counts)) for name, counts in levels],
    }


def download(request: HttpRequest, slug: str, table: str, file_format: str) -> HttpResponseBase:
    """A table of the study as a file; a program that shows a token has it from REST."""
    by_whom = files.file if "Authorization" in request.headers else _download
    return by_whom(request, slug=slug, table=table, file_format=file_format)


@login_required
@condition(etag_func=etag)
def _download(request: HttpRequest, slug: str, table: str, file_format: str) -> HttpResponseBase:
    """A table by the measure and the gains that its address asks for."""
    study = study_for(request.user, slug)
    options = exports.options_of(table, rankings.options_in(request))
    ending: dict[str, str] = {}
    try:
        if (table, file_format) == ("qrels", "trec") and "whole" in request.GET:
            ending["whole"], written = whole_qrels(study, options.get("gains"))
        else:
            for_spreadsheet = request.GET.get("for") == "spreadsheet"
            written = exports.file(
                study, table, file_format, for_spreadsheet=for_spreadsheet, **options
            )
    except exports.CannotExport as fault:
        raise Http404(str(fault)) from fault
    name = rankings.file_name(study, table, options | ending, exports.ending(file_format))
    return StreamingHttpResponse(
        written.lines, content_type=CONTENT_TYPES[file_format], headers=attachment(name)
    )
