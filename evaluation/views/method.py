"""The analyses of a study as an index with their findings, and one analysis alone."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

from evaluation.analyses import ANALYSES, of_study, sections_of
from evaluation.store import keeping
from evaluation.views.sections import context_of, labels_asked
from judging.studies.access import study_for


@never_cache
@login_required
def index(request: HttpRequest, slug: str) -> HttpResponse:
    """Every analysis that fits the study: its question, its finding, and when it was computed."""
    study = study_for(request.user, slug)
    label_set = labels_asked(request, study)
    names = list(of_study(study))
    looked = keeping.look(study, names, label_set, timezone.now(), findings_alone=True)
    rows = {row.kept.name: row for row in looked}
    sections = sections_of(study)
    groups = [
        (about, [(one, rows[one.name]) for one in about.analyses if one.name in rows])
        for about in sections.values()
    ]
    waiting = [row.kept for row in looked if row.waits]
    context = {
        "study": study,
        "here": "method",
        "sections": sections,
        "label_set": label_set,
        "groups": groups,
        "begun": sum(kept.tries > 0 for kept in waiting),
        "waits": len(waiting),
        "all": len(looked),
    }
    return render(request, "evaluation/method.html", context)


@gzip_page
@never_cache
@login_required
def alone(request: HttpRequest, slug: str, analysis: str) -> HttpResponse:
    """One analysis, and the ways to those before and after it."""
    study = study_for(request.user, slug)
    label_set = labels_asked(request, study)
    names = list(of_study(study))
    if analysis not in names:
        raise Http404(f"There is no analysis {analysis} for a study like {study}.")
    place = names.index(analysis)
    context = context_of(request, study, label_set, [ANALYSES[analysis]])
    context |= {
        "here": "analysis",
        "analysis": ANALYSES[analysis],
        "before": ANALYSES[names[place - 1]] if place else None,
        "after": ANALYSES[names[place + 1]] if place + 1 < len(names) else None,
    }
    return render(request, "evaluation/alone.html", context)
