"""The monitoring page."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache

from judging import monitoring, report
from judging.models import CheckFailure, Study

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def staff_only(view: View) -> View:
    """Let only staff see a page; others come to the log-in."""
    return staff_member_required(view, login_url="login")


@never_cache
@staff_only
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    """Check failures as they come in: by check, topic and worker."""
    study = get_object_or_404(Study, slug=slug)
    context: dict[str, Any] = {
        "study": study,
        "here": "monitor",
        "progress": monitoring.progress(study),
        "checks": CheckFailure.Check.choices,
        "by_check": monitoring.failures_by_check(study),
        "by_topic": monitoring.failures_by_topic(study),
        "by_worker": monitoring.failures_by_worker(study),
        "newest": monitoring.newest_failures(study),
        "anchors": [found for found in report.anchor_failures(study) if found.stands_out],
    }
    return render(request, "judging/monitor.html", context)
