"""The sections of results: each shows its analyses, computed in the background."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

from evaluation.analyses import ANALYSES, SECTIONS, files, kept, of_section, shown
from judging import completed, monitoring
from judging.models import Study
from judging.views.staff import staff_only


def labels_asked(request: HttpRequest, study: Study) -> str:
    """The name of the label set that an address asks for; 404 where there are none such."""
    asked = request.GET.get("labels", "")
    if asked and not study.collection.label_sets.filter(name=asked).exists():
        names = study.collection.label_sets.order_by("name").values_list("name", flat=True)
        raise Http404(f"No labels “{asked}”: the collection has {', '.join(names) or 'none'}.")
    return kept.label_set_of(study, asked)


@gzip_page
@never_cache
@staff_only
def section(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """One section: every analysis of it, with what is kept of it."""
    study = get_object_or_404(Study.objects.select_related("collection"), slug=slug)
    label_set = labels_asked(request, study)
    analyses = of_section(section)
    found = kept.look(study, [one.name for one in analyses], label_set, timezone.now())
    _, runs = completed.runs(study) if section == "systems" else ([], [])
    context: dict[str, Any] = {
        "study": study,
        "here": section,
        "section": SECTIONS[section],
        "sections": SECTIONS,
        "progress": monitoring.progress(study),
        "label_set": label_set,
        "label_sets": study.collection.label_sets.order_by("name"),
        "runs": runs,
        "system": request.GET.get(shown.SYSTEM, ""),
        "waits": sum(one.waits for one in found),
        "analyses": [
            (
                analysis,
                one,
                shown.of(
                    analysis.name,
                    analysis.with_live(study, label_set, one.kept.result),
                    request.GET,
                    study,
                ),
            )
            for analysis, one in zip(analyses, found, strict=True)
        ],
    }
    return render(request, "evaluation/section.html", context)


@never_cache
@staff_only
def download(
    request: HttpRequest, slug: str, name: str, part: str, file_format: str
) -> HttpResponse:
    """One figure or table of a kept analysis as a file."""
    study = get_object_or_404(Study.objects.select_related("collection"), slug=slug)
    if name not in ANALYSES:
        raise Http404(f"There is no analysis {name}.")
    label_set = labels_asked(request, study)
    row = study.analyses.filter(name=name, label_set=label_set).first()
    result = ANALYSES[name].with_live(study, label_set, row.result if row else None)
    found = files.part(result, part)
    if result is None or found is None or file_format not in files.formats(found):
        raise Http404(f"{name} has no {part} as {file_format}, or it is not computed yet.")
    return HttpResponse(
        files.written(found, file_format, result["crowd"]),
        content_type=files.CONTENT_TYPES[file_format],
        headers={
            "Content-Disposition": "attachment; "
            f'filename="{study.file_name(f"{name}-{part}", file_format)}"'
        },
    )
