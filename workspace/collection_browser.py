"""What a collection holds, to be looked into: documents, a topic with its labels, a run's list.

Lists are cut by id, so that the last page of a large collection costs what the first one does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from judging.collections import vocabulary
from judging.models import Collection, Document, Label, RankedList, Topic
from web.long_lists import listed
from web.text import natural
from workspace.decorators import staff_page

ROWS = 50  # of a page
MAX_SCANNED = 5_000  # documents whose texts one page searches
MAX_WORDS = 8


@dataclass(frozen=True)
class Matches:
    """searched_to: the last document whose text was searched, where there are more."""

    documents: list[Document]
    after: str = ""
    searched_to: str = ""


@staff_page
def documents(request: HttpRequest, slug: str) -> HttpResponse:
    collection = _visible(request, slug)
    names = ("id", "words", "after")
    query = {name: request.GET.get(name, "").replace("\0", "").strip() for name in names}
    after = query.pop("after")
    everything = collection.documents.filter(doc_id__startswith=query["id"])
    matches = _search(everything, query["words"].split()[:MAX_WORDS], after)
    filters = {name: text for name, text in query.items() if text}
    context = {
        "here": "collections",
        "collection": collection,
        "query": query,
        "matches": matches,
        "after": after,
        "next": f"?{urlencode({**filters, 'after': matches.after})}" if matches.after else "",
        "first": f"?{urlencode(filters)}" if after else "",
        "most": MAX_SCANNED,
    }
    return render(request, "workspace/documents.html", context)


def _search(documents: QuerySet[Document], words: list[str], after: str) -> Matches:
    later = documents.filter(doc_id__gt=after).order_by("doc_id")
    searched_to = ""
    if words:
        window = list(later.values_list("pk", "doc_id")[: MAX_SCANNED + 1])
        if len(window) > MAX_SCANNED:
            window.pop()
            searched_to = window[-1][1]
        later = documents.filter(pk__in=[key for key, _ in window]).order_by("doc_id")
        for word in words:
            later = later.filter(Q(title__icontains=word) | Q(text__icontains=word))
    # Without the collection each row would be asked for it.
    rows = list(later.only("collection", "doc_id", "title", "words")[: ROWS + 1])
    if len(rows) > ROWS:
        return Matches(rows[:ROWS], after=rows[ROWS - 1].doc_id)
    return Matches(rows, after=searched_to, searched_to=searched_to)


@staff_page
def document(request: HttpRequest, slug: str, doc_id: str) -> HttpResponse:
    collection = _visible(request, slug)
    one_document = get_object_or_404(collection.documents, doc_id=doc_id)
    labels = Label.objects.filter(
        label_set__collection=collection, topic__collection=collection, doc_id=doc_id
    )
    context = {
        "here": "collections",
        "collection": collection,
        "document": one_document,
        "labels": sorted(
            labels.select_related("topic", "label_set"),
            key=lambda label: (natural(label.topic.query_id), label.label_set.name),
        ),
    }
    return render(request, "workspace/document.html", context)


@staff_page
def topic(request: HttpRequest, slug: str, query_id: str) -> HttpResponse:
    collection = _visible(request, slug)
    one_topic = get_object_or_404(collection.topics, query_id=query_id)
    labels = Label.objects.filter(topic=one_topic).select_related("label_set")
    labels = labels.order_by("label_set__name", "-level", "doc_id")
    page = listed(labels, request.GET, (), "labels", "labels-", ROWS)
    titles = _titles(collection, (label.doc_id for label in page.rows))
    context = {
        "here": "collections",
        "collection": collection,
        "topic": one_topic,
        "labels": page,
        "rows": [(label, titles.get(label.doc_id)) for label in page.rows],
        "runs": list(one_topic.lists.order_by("run__tag").values_list("run__tag", flat=True)),
    }
    return render(request, "workspace/topic.html", context)


@staff_page
def run(request: HttpRequest, slug: str, tag: str, query_id: str) -> HttpResponse:
    """One run's list for one topic."""
    collection = _visible(request, slug)
    lists = RankedList.objects.filter(run__collection=collection, run__tag=tag)
    ranked = get_object_or_404(lists.select_related("topic", "run"), topic__query_id=query_id)
    codes = vocabulary.codes(ranked.codes)
    scores = np.frombuffer(ranked.scores, dtype=vocabulary.SCORES)
    page = listed(range(len(codes)), request.GET, (), size=ROWS)
    ids = _ids(ranked.topic, codes[page.rows].tolist())
    titles = _titles(collection, ids)
    levels: dict[str, list[float]] = {}
    labelled = Label.objects.filter(topic=ranked.topic, doc_id__in=ids).order_by("label_set__name")
    for doc_id, level in labelled.values_list("doc_id", "level"):
        levels.setdefault(doc_id, []).append(level)
    context = {
        "here": "collections",
        "collection": collection,
        "ranked": ranked,
        "list": page,
        "rows": [
            (place + 1, doc_id, titles.get(doc_id), float(scores[place]), levels.get(doc_id, []))
            for place, doc_id in zip(page.rows, ids, strict=True)
        ],
        "topics": sorted(lists.values_list("topic__query_id", flat=True), key=natural),
    }
    return render(request, "workspace/run.html", context)


def _visible(request: HttpRequest, slug: str) -> Collection:
    return get_object_or_404(Collection.objects.seen_by(request.user), slug=slug)


def _ids(topic: Topic, codes: list[int]) -> list[str]:
    names = vocabulary.read(topic)
    if codes and max(codes) >= len(names):
        raise Http404("The list is being replaced.")
    return [names[code] for code in codes]


def _titles(collection: Collection, ids: Iterable[str]) -> dict[str, str]:
    """Of the documents that have a text here."""
    rows = collection.documents.filter(doc_id__in=set(ids))
    return dict(rows.values_list("doc_id", "title"))
