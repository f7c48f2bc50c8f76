"""The step in which a study gets to people: the platform, the link for it, and the way back."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache

from judging.studies.setup.missing import Step
from workspace.making.whole_study import settings_page, study_at


@never_cache
@login_required
def recruiting(request: HttpRequest, slug: str) -> HttpResponse:
    """Where people come from and how they go back, with the link to enter on the platform."""
    study = study_at(request, slug)
    entry = request.build_absolute_uri(reverse("study", args=[slug]))
    platform = study.from_platform
    return settings_page(
        request,
        study,
        Step.RECRUITING,
        "workspace/setup/recruiting.html",
        link=platform.entry(entry),
        way_back=platform.way_back(study.completion, "XXXX"),
    )
