"""The report of a study: asked for on a page, written in the background, taken away as a zip."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import logged_in
from evaluation.models import Evaluation
from evaluation.pages.query import labels_of
from evaluation.report import jobs
from evaluation.waiting import REPORT_RETENTION
from judging.studies.access import study_for
from web.files import ZIP, attachment


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """What becomes of the report that was asked for; POST asks for one."""
    study = study_for(request.user, slug)
    label_set = labels_of(request, study)
    if request.method == "POST":
        jobs.ask_report(study, logged_in(request), label_set)
        return redirect("report", study.slug)
    context = {
        "study": study,
        "cached": jobs.report_of(study),
        "something": Evaluation.objects.filter(study=study, judgments__gt=0).exists(),
        "days": REPORT_RETENTION.days,
    }
    return render(request, "evaluation/report/asked.html", context)


@never_cache
@login_required
def download(request: HttpRequest, slug: str) -> HttpResponse:
    """The report as a zip archive."""
    study = study_for(request.user, slug)
    archive = jobs.archive_of(study)
    if archive is None:
        raise Http404("No report of this study is kept: ask for one first.")
    return HttpResponse(
        archive, content_type=ZIP, headers=attachment(study.file_name("report", "zip"))
    )
