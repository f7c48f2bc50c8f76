"""Studies, and the overview of the results of one."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

import altair as alt
from django.contrib.auth.decorators import login_required
from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import condition

from evaluation import exports, named_gains, pipeline, results
from evaluation.analyses import sections_of
from evaluation.api.views import CONTENT_TYPES, etag
from evaluation.measures.names import parse
from evaluation.named_gains import NoSuchGains
from judging import monitoring
from judging.collections import elsewhere
from judging.models import Study
from judging.studies import report
from judging.studies.access import study_for
from web import charts

ROW = 22  # pixels of a system in the figure of a ranking


@never_cache
@login_required
def studies(request: HttpRequest) -> HttpResponse:
    """The studies of which somebody is of the team, newest first."""
    found = list(
        Study.objects.seen_by(request.user).select_related("collection").order_by("-created_at")
    )
    progress = monitoring.progress_of(found)
    labels = elsewhere.labels_of([study for study in found if study.is_imported])
    listed = [(study, progress[study.pk], labels.get(study.pk, 0)) for study in found]
    return render(request, "evaluation/studies.html", {"studies": listed})


@never_cache
@login_required
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """The results of one study: the ranking as a picture and a table, and its Table I."""
    study = study_for(request.user, slug)
    asked, fault = request.GET.get("gains"), ""
    try:
        rankings = [_ranking(study, name, asked) for name in pipeline.MEASURES]
    except NoSuchGains as refused:
        fault = str(refused)
        rankings = [_ranking(study, name) for name in pipeline.MEASURES]
    gains = rankings[0]["gains"]
    for ranking in rankings:
        if ranking["results"]:
            ranking["plot"] = mark_safe(_drawn(study, ranking))  # noqa: S308 - drawn here
        if parse(ranking["measure"]).name == "ERR" and gains == "magnitude":
            err_by_factor = partial(results.err_by_factor, study, parse(ranking["measure"]))
            ranking["factors"] = _once(ranking, "factors", err_by_factor)
    context: dict[str, Any] = {
        "study": study,
        "here": "results",
        "sections": sections_of(study),
        "rankings": rankings,
        "source": rankings[0]["source"],
        **_gains(study, gains),
        "gains_fault": fault,
        "files": _files(study, None if gains == named_gains.usual(study) else gains),
    }
    if study.is_imported:
        return render(request, "evaluation/imported.html", context | _elsewhere(study))
    return render(request, "evaluation/study.html", context | _here(study))


def _gains(study: Study, shown: str) -> dict[str, Any]:
    """What can be chosen, and what addresses of files say of the gains that are shown."""
    there = named_gains.choices(study)
    usual = shown == named_gains.usual(study)
    return {
        "gains": shown,
        "gains_choices": there | {shown: there.get(shown, "as asked for")},
        "gains_asked": "" if usual else f"?gains={quote(shown)}",
    }


def _files(study: Study, gains: str | None) -> dict[str, dict[str, str]]:
    """The addresses of all files: of each table, by format. Its CSV is for spreadsheets."""
    return {
        name: {written: _file(study, name, written, gains) for written in export.formats}
        for name, export in exports.exports_of(study).items()
    }


def _file(study: Study, table: str, file_format: str, gains: str | None) -> str:
    options = {"gains": gains} if gains and table in exports.OPTIONS["gains"] else {}
    if file_format == "csv":
        options["for"] = "spreadsheet"
    address = reverse("download", args=[study.slug, table, file_format])
    return f"{address}?{urlencode(options, safe='/', quote_via=quote)}" if options else address


def _here(study: Study) -> dict[str, Any]:
    """What a crowd has done on this site."""
    rows = report.table1(study)
    return {
        "progress": monitoring.progress(study),
        "table1": rows,
        "total": report.total(rows),
        "seconds": report.seconds_per_document(study),
        "seconds_without_long": report.seconds_per_document(study, without_long=True),
        "pay": report.pay(study),
        "anchors": report.anchor_failures(study),
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


def _ranking(study: Study, measure: str, gains: str | None = None) -> dict[str, Any]:
    """A ranking; one by other gains than the usual is made once for each publication."""
    by = named_gains.named(study, gains).name
    header = results.published(study)
    if header is None or by == named_gains.usual(study):
        return results.ranking(study, parse(measure))
    made: Any = caches["pictures"].get_or_set(
        quote(f"ranking {study.pk} {measure} {by} {header.number}"),
        lambda: results.ranking(study, parse(measure), by),
    )
    return {**made}


def _drawn(study: Study, ranking: dict[str, Any]) -> str:
    """The picture of a ranking."""
    return str(_once(ranking, "plot", lambda: charts.svg_of(_declared(study, ranking))))


def _declared(study: Study, ranking: dict[str, Any]) -> dict[str, Any]:
    gains = "" if ranking["gains"] == named_gains.usual(study) else ranking["gains"]
    measure = f"{ranking['measure']} of {gains}" if gains else ranking["measure"]
    return ranking_figure(ranking["results"], measure, ranking["crowd"])


def ranking_figure(systems: Sequence[dict[str, Any]], measure: str, crowd: str) -> dict[str, Any]:
    """Every system's mean with its 95% interval over topics, best first, and who judged."""
    judged = "" if crowd == "people" else f" ({crowd})"
    base = alt.Chart(alt.NamedData("systems")).encode(
        y=alt.Y(
            "run:N",
            sort=[system["run"] for system in systems],
            title=None,
            axis=alt.Axis(labelLimit=220, ticks=False, domain=False),
        )
    )
    interval = base.mark_rule(
        color=charts.MARK, strokeWidth=2, opacity=0.6, clip=True, aria=False
    ).encode(
        x=alt.X("low:Q", title=[measure + judged, "mean and 95% interval over topics"]), x2="high:Q"
    )
    mean = base.mark_circle(color=charts.MARK, size=70, opacity=1).encode(
        x=alt.X("mean:Q", scale=alt.Scale(domain=[0, 1])), description="name:N"
    )
    chart = (interval + mean).properties(width=420, height=ROW * max(len(systems), 1))
    description = f"{measure} of {len(systems)} systems{judged}; the table has the numbers."
    rows = [
        {name: system[name] for name in ("run", "mean", "low", "high")}
        | {"name": f"{system['run']}: rank {system['rank']}, {system['mean']:.4f}"}
        for system in systems
    ]
    return charts.declared(chart, description, rows={"systems": rows})


def _once(ranking: dict[str, Any], what: str, make: Callable[[], Any]) -> Any:
    """Something of a ranking, made once for each publication."""
    number = ranking["source"]["evaluation"] if ranking["source"] else 0
    of = f"{ranking['study']} {ranking['measure']} {ranking['gains']}"
    return caches["pictures"].get_or_set(quote(f"{what} {of} {number}"), make)


@login_required
@condition(etag_func=etag)
def download(request: HttpRequest, slug: str, table: str, file_format: str) -> HttpResponseBase:
    """A table of the study as a file; `gains` in the address: those of qrels and rankings."""
    study = study_for(request.user, slug)
    gains = request.GET.get("gains") if table in exports.OPTIONS["gains"] else None
    options = {} if gains is None else {"gains": gains}
    for_spreadsheet = request.GET.get("for") == "spreadsheet"
    try:
        lines = exports.lines(study, table, file_format, for_spreadsheet=for_spreadsheet, **options)
    except exports.CannotExport as fault:
        raise Http404(str(fault)) from fault
    ending = {"trec": "txt"}.get(file_format, file_format)
    return StreamingHttpResponse(
        lines,
        content_type=CONTENT_TYPES[file_format],
        headers={
            "Content-Disposition": "attachment; "
            f'filename="{study.file_name(_named(table, gains), ending)}"'
        },
    )


def _named(what: str, gains: str | None) -> str:
    """What is in a file, with the gains that it is of if they are not the usual ones.

    >>> _named("qrels", "udm:1/3")
    'qrels-udm-1-3'
    """
    return re.sub(r"[^\w.]+", "-", f"{what}-{gains}") if gains else what


@login_required
@condition(etag_func=etag)
def plot(request: HttpRequest, slug: str, number: int, file_format: str) -> HttpResponse:
    """The picture of one ranking as a file, SVG or PDF."""
    study = study_for(request.user, slug)
    if not 1 <= number <= len(pipeline.MEASURES) or file_format not in ("svg", "pdf"):
        raise Http404(f"There are {len(pipeline.MEASURES)} rankings, each as svg and pdf.")
    gains = request.GET.get("gains")
    try:
        ranking = _ranking(study, pipeline.MEASURES[number - 1], gains)
    except NoSuchGains as fault:
        raise Http404(str(fault)) from fault
    printed = file_format == "pdf"
    return HttpResponse(
        charts.pdf_of(_declared(study, ranking)) if printed else _drawn(study, ranking),
        content_type=CONTENT_TYPES[file_format],
        headers={
            "Content-Disposition": "attachment; "
            f'filename="{study.file_name(_named(f"ranking-{number}", gains), file_format)}"'
        },
    )
