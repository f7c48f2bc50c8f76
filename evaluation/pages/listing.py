"""The studies that somebody works on, which is where they begin."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from accounts.models import User, logged_in
from judging import monitoring
from judging.collections import opinion_counts
from judging.models import Collection, Membership, Study
from judging.monitoring import Progress
from judging.monitoring.status.flow import Flow, flows
from web import clock


@dataclass(frozen=True)
class Row:
    """A study in the list: how far it is, how it flows, its labels, and one's role in it."""

    study: Study
    progress: Progress
    flow: Flow | None  # None: it was judged elsewhere
    labels: int
    role: str


@never_cache
@login_required
def studies(request: HttpRequest) -> HttpResponse:
    """The studies of which somebody is of the team, newest first: those in use, or archived."""
    user = logged_in(request)
    seen = Study.objects.seen_by(user).without_rehearsals()
    shows_archived = request.GET.get("archived") == "yes"
    shown = seen.filter(archived_at__isnull=not shows_archived).select_related("collection")
    context = {
        "here": "studies",
        "rows": _rows(user, list(shown.order_by("-created_at"))),
        "shows_archived": shows_archived,
        **seen.aggregate(
            in_use=Count("pk", filter=Q(archived_at=None)),
            archived=Count("pk", filter=~Q(archived_at=None)),
        ),
        "collections": Collection.objects.seen_by(user).count(),
    }
    return render(request, "evaluation/studies.html", context)


def _rows(user: User, shown: list[Study]) -> list[Row]:
    """What the list says of each study; asks as often for many as for one."""
    progress = monitoring.progress_of(shown)
    labels = opinion_counts.labels_of([study for study in shown if study.is_imported])
    by_people = [study for study in shown if study.takes_people]
    flow_of = flows(by_people, progress, clock.now())
    roles = dict(Membership.objects.filter(user=user).values_list("study", "role"))
    return [
        Row(
            study,
            progress[study.pk],
            flow_of.get(study.pk),
            labels.get(study.pk, 0),
            roles.get(study.pk, "admin"),
        )
        for study in shown
    ]
