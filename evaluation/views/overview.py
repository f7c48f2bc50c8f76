"""The overview of the results of a study, and its files."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import condition

from evaluation import exports, named_gains
from evaluation.analyses import sections_of
from evaluation.api import files
from evaluation.api.views import CONTENT_TYPES, etag
from evaluation.views import rankings
from evaluation.whole_qrels import whole_qrels
from judging import monitoring
from judging.collections import elsewhere
from judging.models import Study
from judging.monitoring.glance.anchors import anchors
from judging.monitoring.seconds import reading
from judging.studies import table_one
from judging.studies.access import study_for
from web.files import attachment


@never_cache
@login_required
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """The results of one study: its rankings as pictures and tables, and its Table I."""
    study = study_for(request.user, slug)
    asked = rankings.asked_of(request)
    shown, faults = rankings.asked_or_usual(study, asked)
    usual = named_gains.usual(study)
    chosen = {n: value for n, value in asked.items() if n not in faults and value != usual}
    context: dict[str, Any] = {
        "study": study,
        "here": "results",
        "sections": sections_of(study),
        "rankings": [rankings.with_picture(study, ranking) for ranking in shown],
        "source": shown[0]["source"],
        "measure": asked.get("measure", ""),
        "measures": rankings.OFFERED,
        "faults": faults,
        **_gains(study, shown[0]["gains"]),
        "files": _files(study, chosen),
    }
    if study.is_imported:
        return render(request, "evaluation/imported.html", context | _elsewhere(study))
    return render(request, "evaluation/study.html", context | _here(study))


def _gains(study: Study, shown: str) -> dict[str, Any]:
    """What gains can be chosen, and which are shown."""
    there = named_gains.choices(study)
    return {
        "gains": shown,
        "gains_choices": there | {shown: there.get(shown, "as asked for")},
        "other_gains": shown != named_gains.usual(study),
    }


def _files(study: Study, shown: dict[str, str]) -> dict[str, dict[str, str]]:
    """The addresses of all files: of each table, by format. Its CSV is for spreadsheets."""
    addresses = {
        name: {written: _file(study, name, written, shown) for written in export.formats}
        for name, export in exports.exports_of(study).items()
    }
    options = exports.options_of("qrels", shown) | {"whole": "yes"}
    plain = reverse("download", args=[study.slug, "qrels", "trec"])
    addresses["qrels"]["whole numbers"] = rankings.addressed(plain, options)
    return addresses


def _file(study: Study, table: str, file_format: str, shown: dict[str, str]) -> str:
    options = exports.options_of(table, shown)
    if file_format == "csv":
        options["for"] = "spreadsheet"
    return rankings.addressed(reverse("download", args=[study.slug, table, file_format]), options)


def _here(study: Study) -> dict[str, Any]:
    """What a crowd has done on this site."""
    rows, read = table_one.table1(study), reading(study)
    return {
        "progress": monitoring.progress(study),
        "table1": rows,
        "total": table_one.total(rows),
        "seconds": read.all,
        "seconds_without_long": read.without_long,
        "pay": table_one.pay(study),
        "anchors": anchors(study),
    }


def _elsewhere(study: Study) -> dict[str, Any]:
    """What was imported."""
    aspects, levels = elsewhere.by_level(study)
    return {
        "totals": elsewhere.totals(study),
        "aspects": aspects,
        "levels": [(name, counts, sum(counts)) for name, counts in levels],
        "topics": elsewhere.by_topic(study),
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
    options = exports.options_of(table, rankings.asked_of(request))
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
