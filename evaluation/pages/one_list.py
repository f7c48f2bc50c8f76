"""One system on one topic: its list there, with what each document is worth."""

from itertools import zip_longest

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

from evaluation.details import one_list, one_system, one_topic
from evaluation.pages.asked import labels_asked
from evaluation.pages.systems import asked_of
from evaluation.publishing import named_gains
from judging.models import Run
from magnitudes.measures.names import parse


@gzip_page
@never_cache
@login_required
def system_on_topic(request: HttpRequest, slug: str, run: str, query_id: str) -> HttpResponse:
    """The documents that the value of a system on a topic is made of."""
    asked = asked_of(request, slug)
    stored = Run.objects.filter(collection=asked.study.collection_id, tag=run).first()
    topic = one_topic.topic_of(asked.study, query_id)
    systems = one_topic.systems(asked.ranking, query_id)
    own = next((row for row in systems if row.run == run), None)
    if stored is None or topic is None or own is None:
        raise Http404(f"No system {run} is ranked on a topic {query_id} in this study.")
    measure = parse(asked.ranking["measure"])
    pool = one_topic.documents(topic, labels_asked(request, asked.study))
    rows = one_list.documents(topic, stored, measure, pool)
    best = [row.gain for row in pool if row.gain is not None]
    context = asked.context | {
        "here": "system",
        "run": run,
        "topic": topic,
        "own": own,
        "systems": len(systems),
        "rows": [*zip_longest(rows, best[: len(rows)])],
        "judged": sum(row.gain is not None for row in rows),
        "depth": one_system.depth_of(measure),
        "is_whole": measure.cutoff is None,
        "other_gains": asked.ranking["gains"] != named_gains.usual(asked.study),
    }
    return render(request, "evaluation/one_list.html", context)
