"""The first page: for strangers, what this is, with the ranking of the demo where there is one."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from evaluation.details.system_list import UNTESTED, System, systems
from evaluation.pages import rankings
from judging.models import Study
from magnitudes.measures.names import short
from web import sparklines

# `load_demo` names them so: the finished one, whose ranking strangers see, and one to judge in.
DEMO, LIVE = "demo", "demo-live"
NO_PEOPLE = Q(demo=True) | Q(crowd=Study.Crowd.ARTIFICIAL)


def home(request: HttpRequest) -> HttpResponse:
    """Also what to do for a worker who has lost the link."""
    if request.user.is_authenticated:
        return redirect("studies")
    demo = Study.objects.filter(NO_PEOPLE, slug=DEMO, memberships=None).first()
    live = Study.objects.filter(slug__in=(DEMO, LIVE), demo=True, stage=Study.Stage.OPEN).first()
    return render(request, "home.html", (_ranked(demo) if demo else {}) | {"live": live})


def _ranked(demo: Study) -> dict[str, Any]:
    (ranking, *_), _ = rankings.chosen_or_usual(demo, {})
    rows = systems(ranking, UNTESTED)
    if not rows:
        return {"demo": demo}
    return {"demo": demo, "ranking": ranking, **drawn(rows, ranking["measure"])}


def drawn(rows: Sequence[System], measure: str) -> dict[str, Any]:
    """For templates: systems with their intervals on one axis, and its scale."""
    ends = (end for row in rows for end in (row.low, row.mean, row.high) if end is not None)
    axis = sparklines.Axis.of(ends)
    strips = [
        (row, sparklines.interval(axis, row.low, row.mean, row.high, f"{row.run}: {row.mean:.4f}"))
        for row in rows
    ]
    return {"drawn": strips, "scale": sparklines.scale(axis, short(measure))}
