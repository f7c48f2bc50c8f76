"""Rankings as researchers look at them: by which measure and gains, as a picture and as a file."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from django.contrib.auth.decorators import login_required
from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import condition

from evaluation import pipeline, results
from evaluation.api.views import CONTENT_TYPES, etag
from evaluation.details.system_list import possible
from evaluation.publishing import named_gains
from judging.models import Study
from judging.models.study import DEFAULT_CUTOFF
from judging.studies.access import study_for
from magnitudes.measures.names import parse, short
from web.drawing.charts import Plot, svg
from web.drawing.marks import INK, Mark
from web.drawing.pdf import pdf_of
from web.drawing.scales import Axis
from web.files import attachment

ROW = 22  # pixels of a system in the figure of a ranking
# Measures that the page offers beside those that systems are ranked by; any other can be typed.
TO_CUTOFF = "nDCG", "P", "Success", "Judged"
OFFERED = "AP", "RR", "RBP(p=0.8)", "R@100", "Rprec"

Rankings = list[dict[str, Any]]


def offered(study: Study) -> list[str]:
    """The measures that pages of a study offer."""
    cutoff = study.used_cutoff or DEFAULT_CUTOFF
    return [*pipeline.measures(study), *(f"{name}@{cutoff}" for name in TO_CUTOFF), *OFFERED]


def _unranked(study: Study) -> dict[str, Any]:
    """What stands in the place of a ranking where no measure is asked for, and none is usual."""
    bare = results.ranking(study, parse(pipeline.MEASURES[0]))
    return {**bare, "results": [], "why": results.no_measure(study)}


def options_in(request: HttpRequest) -> dict[str, str]:
    """What an address asks for, of `measure` and `gains`."""
    options = {name: request.GET.get(name, "").strip() for name in ("measure", "gains")}
    return {name: value for name, value in options.items() if value}


def chosen_or_usual(study: Study, options: dict[str, str]) -> tuple[Rankings, dict[str, str]]:
    """The rankings that are asked for, and why it is the usual ones where there are none such.

    Returns:
        One ranking for each measure, and what is wrong, by the option.
    """
    measures = [options["measure"]] if "measure" in options else list(pipeline.measures(study))
    if not measures:
        return [_unranked(study)], {}
    try:
        return [ranking(study, name, options.get("gains")) for name in measures], {}
    except results.CannotRank as fault:
        rest = {name: value for name, value in options.items() if name != fault.option}
        rankings, faults = chosen_or_usual(study, rest)
        return rankings, faults | {fault.option: str(fault)}


def ranking(study: Study, measure: str, gains: str | None = None) -> dict[str, Any]:
    """A ranking; one that is not stored is made once for each publication.

    Raises:
        CannotRank: there is no such measure, or no such gains.
    """
    header = results.published(study)
    with results.refusals(measure):
        by = named_gains.named(study, gains).name
        asked = parse(measure)
        stored = str(asked) in pipeline.measures(study) and by == named_gains.usual(study)
        make = partial(results.ranking, study, asked, by)
        if header is None or stored:
            return make()
        key = quote(f"ranking {study.pk} {asked} {by} {header.number}")
        made: Any = caches["pictures"].get_or_set(key, make)
        return {**made}


def with_files(study: Study, ranking: dict[str, Any]) -> dict[str, Any]:
    """A ranking with the addresses of its picture, and for ERR what a factor changes."""
    usual = {"measure": pipeline.measures(study)[:1], "gains": [named_gains.usual(study)]}
    options = {name: ranking[name] for name, known in usual.items() if ranking[name] not in known}
    if ranking["results"]:
        ranking["plots"] = {
            ending: addressed(reverse("plot", args=[study.slug, ending]), options)
            for ending in ("svg", "pdf")
        }
    measure = parse(ranking["measure"])
    if measure.name == "ERR" and ranking["gains"] == "magnitude":
        by_factor = partial(results.err_by_factor, study, measure)
        ranking["factors"] = _once(ranking, "factors", by_factor)
    return ranking


def addressed(path: str, options: dict[str, str]) -> str:
    """A path with options behind it, if there are any."""
    return f"{path}?{urlencode(options, safe='/', quote_via=quote)}" if options else path


def file_name(study: Study, table: str, options: dict[str, str], ending: str) -> str:
    """The name of a file that says what it was asked for, as in qrels-udm-1-3."""
    words = "-".join((table, *options.values()))
    return study.file_name(re.sub(r"[^\w.]+", "-", words).strip("-"), ending)


def with_possible_ends(ranking: dict[str, Any]) -> dict[str, Any]:
    """A ranking whose intervals are cut at what is possible, and marked; none of few topics."""
    results = []
    for row in ranking["results"]:
        low, high, is_cut = possible(row["low"], row["high"], ranking["topics"], row["mean"])
        results.append(row | {"low": low, "high": high, "is_cut": is_cut})
    return ranking | {"results": results}


def figure(study: Study, ranking: dict[str, Any]) -> str:
    """A ranking as SVG."""
    gains = "" if ranking["gains"] == named_gains.usual(study) else ranking["gains"]
    name = short(ranking["measure"])
    measure = f"{name} of {gains}" if gains else name
    crowd = ", ".join(filter(None, (ranking["crowd"], ranking["interim"]))).removeprefix("people, ")
    return ranking_figure(with_possible_ends(ranking)["results"], measure, crowd)


def ranking_figure(
    systems: Sequence[dict[str, Any]], measure: str, crowd: str, marked: str = ""
) -> str:
    """Every system's mean with its 95% interval over topics, best first, and who judged.

    The `marked` system is drawn larger, in the colour of the text.
    """
    judged = "" if crowd == "people" else f" ({crowd})"
    down = Axis(field="run", kind="names", order=[system["run"] for system in systems], room=220)
    titles = [measure + judged, "mean and 95% interval over topics"]
    mean, low = (Axis(field=field, title=titles, domain=(0, 1)) for field in ("mean", "low"))
    kinds: dict[bool, dict[str, Any]] = {False: {}, True: {"colour": INK, "size": 160}}
    dots: dict[str, Any] = {"size": 70, "named": True, "by": "is_marked", "kinds": kinds}
    on: dict[str, Any] = {"data": "systems", "y": down}
    marks = (
        Mark(kind="rule", x=low, x2="high", width=2, opacity=0.85, **on),
        Mark(kind="point", x=mean, legend=False, **dots, **on),
    )
    chart = Plot(marks, 420, ROW * max(len(systems), 1))
    description = f"{measure} of {len(systems)} systems{judged}; the table has the numbers."
    rows = [
        {name: system[name] for name in ("run", "mean", "low", "high")}
        | {"name": f"{system['run']}: rank {system['rank']}, {system['mean']:.4f}"}
        | {"is_marked": system["run"] == marked}
        for system in systems
    ]
    return svg(chart, description, {"systems": rows})


def _once(ranking: dict[str, Any], what: str, make: Callable[[], Any]) -> Any:
    """Something of a ranking, made once for each publication."""
    number = ranking["source"]["evaluation"] if ranking["source"] else 0
    of = f"{ranking['study']} {ranking['measure']} {ranking['gains']} {ranking['interim']}"
    return caches["pictures"].get_or_set(quote(f"{what} {of} {number}"), make)


@login_required
@condition(etag_func=etag)
def plot(request: HttpRequest, slug: str, file_format: str) -> HttpResponse:
    """The picture of one ranking as a file, SVG or PDF."""
    study = study_for(request.user, slug)
    if file_format not in ("svg", "pdf"):
        raise Http404("A ranking is drawn as svg and pdf.")
    options = options_in(request)
    usual = pipeline.measures(study)
    if "measure" not in options and not usual:
        raise Http404(results.no_measure(study))
    try:
        shown = ranking(study, options.get("measure", *usual[:1]), options.get("gains"))
    except results.CannotRank as fault:
        raise Http404(str(fault)) from fault
    drawn = str(_once(shown, "plot", lambda: figure(study, shown)))
    return HttpResponse(
        pdf_of(drawn) if file_format == "pdf" else drawn,
        content_type=CONTENT_TYPES[file_format],
        headers=attachment(file_name(study, "ranking", options, file_format)),
    )
