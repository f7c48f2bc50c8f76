"""The step in which a study gets to people: the platform, the link for it, and the way back."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import logged_in
from judging.models import Participant, Role, Study
from judging.platforms.links import LINKS
from judging.settings import Step
from judging.studies.access import sees_platform_ids, study_for
from judging.studies.personal_links import personal_links
from web.files import attachment
from web.formats import csv_lines
from workspace.making.whole_study import settings_page, study_of_step


@never_cache
@login_required
def recruiting(request: HttpRequest, slug: str) -> HttpResponse:
    """Where people come from and how they go back, with the link to enter on the platform."""
    study = study_of_step(request, slug)
    platform = study.from_platform
    is_by_links = platform == LINKS
    return settings_page(
        request,
        study,
        Step.RECRUITING,
        "workspace/setup/recruiting.html",
        link=platform.entry_address(entry_of(request, study)),
        is_by_links=is_by_links,
        listed=Participant.objects.filter(study=study).count() if is_by_links else 0,
        sees_ids=sees_platform_ids(logged_in(request), study),
    )


def entry_of(request: HttpRequest, study: Study) -> str:
    """The address at which workers enter a study."""
    return request.build_absolute_uri(reverse("study", args=[study.slug]))


@never_cache
@login_required
@require_safe
def personal_links_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The participants on the study's list, each with a personal link, as CSV."""
    study = study_for(request.user, slug, Role.EDITOR)
    if not sees_platform_ids(logged_in(request), study):
        raise PermissionDenied("For this you must be allowed to see the ids of participants.")
    links = personal_links(study, entry_of(request, study))
    name = study.file_name("links", "csv")
    lines = csv_lines(("participant", "link"), links, for_spreadsheet=True)
    return HttpResponse(
        "".join(lines), content_type="text/csv; charset=utf-8", headers=attachment(name)
    )
