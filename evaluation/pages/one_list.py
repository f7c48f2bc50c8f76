"""One system on one topic: its list there, with what each document is worth."""

from itertools import zip_longest
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.details import one_system, one_topic
from evaluation.pages.query import labels_of, results_page
from evaluation.pages.systems import query_of


class Ranked(NamedTuple):
    """A document of the list; judged: what is known of it in the pool, None outside of it."""

    rank: int
    doc_id: str
    judged: one_topic.Judged | None

    @property
    def gain(self) -> float | None:
        """None: unjudged, which measures count as 0."""
        return self.judged.gain if self.judged else None


@results_page
def system_on_topic(request: HttpRequest, slug: str, run: str, query_id: str) -> HttpResponse:
    """The documents that the value of a system on a topic is made of."""
    query = query_of(request, slug)
    stored = query.run(run)
    topic = one_topic.topic_of(query.study, query_id)
    systems = one_topic.systems(query.ranking, query_id)
    own = next((row for row in systems if row.run == run), None)
    if stored is None or topic is None or own is None:
        raise Http404(f"No system {run} is ranked on a topic {query_id} in this study.")
    measure = query.measure
    pool = one_topic.documents(topic, labels_of(request, query.study))
    ranks = one_system.ranked(stored, [topic.topic_id], measure)
    ids, known = one_system.doc_ids([*ranks]), {one.doc_id: one for one in pool}
    rows = [Ranked(rank, ids[key], known.get(ids[key])) for key, rank in ranks.items()]
    best = [row.gain for row in pool if row.gain is not None]
    context = query.context | {
        "run": run,
        "topic": topic,
        "own": own,
        "systems": len(systems),
        "rows": [*zip_longest(rows, best[: len(rows)])],
        "judged": sum(row.gain is not None for row in rows),
        "depth": one_system.depth_of(measure),
        "is_whole": measure.cutoff is None,
    }
    return render(request, "evaluation/one_list.html", context)
