"""The analyses of a study: as an index with their findings, and each alone."""

from itertools import groupby
from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from evaluation.analyses import ANALYSES, Analysis, Section, of_study, papers, sections_of
from evaluation.analyses.question import BadQuestion
from evaluation.cache import page, part_files, stored
from evaluation.cache.stored import CachedResult
from evaluation.models import CachedAnalysis
from evaluation.pages.query import cached_results, labels_of, results_page, still_open
from evaluation.publishing import planned_end
from judging.models import Study
from judging.studies.access import study_for
from judging.studies.analysis_plan import batches_after_ranking
from web.files import attachment


class Line(NamedTuple):
    """An analysis in the index: what is kept of it, and where the papers have the like."""

    analysis: Analysis
    cached: CachedResult

    @property
    def places(self) -> list[str]:
        """By paper, the figures and tables that it is the like of."""
        places = groupby(papers.places_of(self.analysis.name), key=lambda pair: pair[0].short)
        return [f"{paper}: {', '.join(place.name for _, place in some)}" for paper, some in places]


class Index(NamedTuple):
    """The analyses by section, those that found nothing, and those that are for other studies."""

    groups: list[tuple[str, Section, list[Line]]]
    nothing: list[Line]
    unfit: list[Analysis]

    @property
    def found(self) -> int:
        """How many analyses found something."""
        lines = [line for _, _, some in self.groups for line in some]
        return sum(line.cached.row.computed_at is not None for line in lines)


@results_page
def index(request: HttpRequest, slug: str) -> HttpResponse:
    """Every analysis: its question, its finding, and when it was computed."""
    study = study_for(request.user, slug)
    analyses = list(of_study(study).values())
    cached, context = cached_results(request, study, analyses)
    context |= {
        "ordered_later": batches_after_ranking(study),
        "at_planned_end": planned_end.cached_sentence(study),
        "index": indexed(study, [Line(*pair) for pair in zip(analyses, cached, strict=True)]),
        "oldest": min((at for row in cached if (at := row.row.computed_at)), default=None),
    }
    return render(request, "evaluation/method.html", context)


def indexed(study: Study, lines: list[Line]) -> Index:
    """Lines by section; one that looked and found nothing stands at the end."""
    nothing = [line for line in lines if _found_nothing(line)]
    groups = [
        (name, section, [line for line in lines if line.analysis in section.analyses])
        for name, section in sections_of(study).items()
    ]
    found = [
        (name, section, [line for line in some if line not in nothing])
        for name, section, some in groups
    ]
    kinds = ((analysis, analysis.applies_to) for analysis in ANALYSES.values())
    unfit = [analysis for analysis, of in kinds if of.reason_if_not and not of(study)]
    return Index([group for group in found if group[2]], nothing, unfit)


def _found_nothing(line: Line) -> bool:
    row = line.cached.row
    computed = row.computed_at is not None and not row.fault
    return computed and line.analysis.found_nothing(row.titles, row.numbers)


@results_page
def alone(request: HttpRequest, slug: str, analysis: str) -> HttpResponse:
    """One analysis, and the ways to those before and after it."""
    study = study_for(request.user, slug)
    fitting = of_study(study)
    if analysis not in fitting:
        return _none_such(request, study, analysis)
    named = fitting[analysis]
    (cached,), context = cached_results(request, study, [named], findings_alone=False)
    links = page.Links.of_study(study, context["label_set"])
    result = _shown(request, named, cached.row, links)
    marks = page.menus(result, links, context["marked"])
    context |= {
        "analysis": named,
        "cached": cached,
        "result": result,
        "marks": marks,
        "marked_without_menu": [
            (option, name)
            for option, name in context["marked_without_menu"]
            if option not in {menu.option for menu in marks}
        ],
        "still_open": still_open(study),
        **_beside(study, analysis),
    }
    return render(request, "evaluation/alone.html", context)


def _none_such(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Says that there is no such analysis, or why it is not for the study, and what there is."""
    named = ANALYSES.get(name)
    context = {
        "study": study,
        "name": name,
        "unfit": named if named and named.applies_to.reason_if_not else None,
        "there": of_study(study).values(),
    }
    return render(request, "evaluation/no_analysis.html", context, status=404)


def _beside(study: Study, name: str) -> dict[str, Analysis | None]:
    """The analyses before and after one, in the order of the index."""
    names = list(of_study(study))
    place = names.index(name)
    return {
        "before": ANALYSES[names[place - 1]] if place else None,
        "after": ANALYSES[names[place + 1]] if place + 1 < len(names) else None,
    }


def _shown(
    request: HttpRequest, analysis: Analysis, row: CachedAnalysis, links: page.Links
) -> dict[str, Any] | None:
    """What is kept of an analysis, ready to be shown, without the sentence that is its heading.

    To be sorted, a table needs all its rows.
    """
    result = stored.all_rows(row) if page.sorts(analysis.name, request.GET) else row.result
    result = analysis.with_live(row.study, row.label_set, result)
    if result and result["says"]:
        first, *others = result["says"]
        further = first.removeprefix(row.finding).lstrip(". ") if row.finding else first
        result = result | {"says": [*([further] if further else []), *others]}
    return page.prepared(analysis.name, result, request.GET, links)


@login_required
def moved(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Where a section of analyses has gone: to its place in the index, with what was asked."""
    study = study_for(request.user, slug)
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return HttpResponseRedirect(f"{reverse('method', args=[study.slug])}{query}#{section}")


@never_cache
@login_required
def download(
    request: HttpRequest, slug: str, name: str, part: str, file_format: str
) -> HttpResponse:
    """One figure or table of a kept analysis as a file."""
    study = study_for(request.user, slug)
    try:
        content, crowd = part_files.part_of(
            study, name, labels_of(request, study), part, request.GET
        )
    except (stored.NotThere, BadQuestion) as fault:
        raise Http404(str(fault)) from fault
    if file_format not in part_files.formats(content):
        raise Http404(f"{part} is written as {' or '.join(part_files.formats(content))}.")
    for_spreadsheet = request.GET.get("for") == "spreadsheet"
    return HttpResponse(
        part_files.written(content, file_format, crowd, for_spreadsheet=for_spreadsheet),
        content_type=part_files.CONTENT_TYPES[file_format],
        headers=attachment(study.file_name(f"{name}-{part}", file_format)),
    )
