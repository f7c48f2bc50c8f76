"""The monitoring page."""

from typing import Any

from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache

from judging import monitoring, report
from judging.models import CheckFailure, Study

staff_only = staff_member_required(login_url="login")


@never_cache
@staff_only
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    """Check failures as they come in: by check, topic and worker."""
    study = get_object_or_404(Study, slug=slug)
    context: dict[str, Any] = {
        "study": study,
        "progress": monitoring.progress(study),
        "checks": CheckFailure.Check.choices,
        "by_check": monitoring.failures_by_check(study),
        "by_topic": monitoring.failures_by_topic(study),
        "by_worker": monitoring.failures_by_worker(study),
        "newest": monitoring.newest_failures(study),
        "anchors": [found for found in report.anchor_failures(study) if found.stands_out],
    }
    return render(request, "judging/monitor.html", context)
