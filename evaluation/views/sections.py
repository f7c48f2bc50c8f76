"""The sections of results: each shows its analyses, computed in the background."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

from evaluation import named_gains
from evaluation.analyses import SECTIONS, Analysis, of_section, sections_of
from evaluation.analyses.question import ASKABLE, BadQuestion, Question, askable, question
from evaluation.models import KeptAnalysis
from evaluation.store import keeping, page, part_files
from judging import completed, monitoring
from judging.models import Study
from judging.studies.access import study_for
from web.files import attachment


def labels_asked(request: HttpRequest, study: Study) -> str:
    """The name of the label set that an address asks for; 404 where there are none such."""
    try:
        return keeping.label_set_of(study, request.GET.get("labels", ""))
    except keeping.NotThere as fault:
        raise Http404(f"Labels {fault}") from fault


@gzip_page
@never_cache
@login_required
def section(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """One section: every analysis of it, with what is kept of it."""
    study = study_for(request.user, slug)
    label_set = labels_asked(request, study)
    analyses = of_section(section, study)
    if not analyses:
        raise Http404(f"No analysis of this section is for a study like {study}.")
    context = context_of(request, study, label_set, analyses)
    context |= {"here": section, "section": SECTIONS[section]}
    return render(request, "evaluation/section.html", context)


def context_of(
    request: HttpRequest, study: Study, label_set: str, analyses: list[Analysis]
) -> dict[str, Any]:
    """What a page of some analyses shows, after asking for those that are missing or too old."""
    asked, faults = _asked(request, study, analyses)
    names = [analysis.name for analysis in analyses]
    looked = keeping.look(study, names, label_set, timezone.now(), asked)
    links = page.Links.of_study(study, label_set)
    shown_here = [
        _shown(request, analysis, look.kept, links)
        for analysis, look in zip(analyses, looked, strict=True)
    ]
    waiting = [look.kept for look in looked if look.waits]
    return {
        "study": study,
        "sections": sections_of(study),
        "progress": monitoring.progress(study),
        "label_set": label_set,
        "label_sets": study.collection.label_sets.order_by("name"),
        "runs": completed.runs(study)[1] if _have_systems(shown_here) else [],
        "system": request.GET.get(page.SYSTEM, ""),
        "questions": [
            {"name": name, "value": request.GET.get(name, ""), "fault": faults.get(name, "")}
            for name in ASKABLE
            if any(name in askable(study, analysis.takes) for analysis in analyses)
        ],
        "gains_choices": named_gains.choices(study),
        "waits": len(waiting),
        "begun": sum(kept.tries > 0 for kept in waiting),
        "analyses": list(zip(analyses, looked, shown_here, strict=True)),
    }


def _asked(
    request: HttpRequest, study: Study, analyses: Iterable[Analysis]
) -> tuple[dict[str, Question], dict[str, str]]:
    """What an address asks of each analysis that takes it, and what is wrong with it."""
    asked, faults = {}, {}
    for analysis in analyses:
        takes = askable(study, analysis.takes)
        options = {name: request.GET.get(name, "") for name in takes}
        try:
            asked[analysis.name] = question(study, analysis.takes, options)
        except BadQuestion as fault:
            faults[fault.option] = str(fault)
    return asked, faults


def _shown(
    request: HttpRequest, analysis: Analysis, row: KeptAnalysis, links: page.Links
) -> dict[str, Any] | None:
    """What is kept of an analysis, ready to be shown; to be sorted, a table needs all its rows."""
    result = keeping.entire(row) if page.sorts(analysis.name, request.GET) else row.result
    whole = analysis.with_live(row.study, row.label_set, result)
    return page.prepared(analysis.name, whole, request.GET, links)


def _have_systems(results: Iterable[dict[str, Any] | None]) -> bool:
    """Whether something shown is of systems, of which one can be marked."""
    parts = (part for result in results if result for part in result["parts"])
    return any("system" in part.content["columns"] for part in parts)


@never_cache
@login_required
def download(
    request: HttpRequest, slug: str, name: str, part: str, file_format: str
) -> HttpResponse:
    """One figure or table of a kept analysis as a file."""
    study = study_for(request.user, slug)
    try:
        content, crowd = part_files.part_of(
            study, name, labels_asked(request, study), part, request.GET
        )
    except (keeping.NotThere, BadQuestion) as fault:
        raise Http404(str(fault)) from fault
    if file_format not in part_files.formats(content):
        raise Http404(f"{part} is written as {' or '.join(part_files.formats(content))}.")
    for_spreadsheet = request.GET.get("for") == "spreadsheet"
    return HttpResponse(
        part_files.written(content, file_format, crowd, for_spreadsheet=for_spreadsheet),
        content_type=part_files.CONTENT_TYPES[file_format],
        headers=attachment(study.file_name(f"{name}-{part}", file_format)),
    )
