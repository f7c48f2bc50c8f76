"""Studies to measure with: made up, and the same each time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from bench.site import environment  # noqa: F401 - before any model
from judging import flow
from judging.collections.cleaning import VERSION, clean_text
from judging.flow.admission import Arrival
from judging.models import Assignment, Collection, Document, Study, Topic
from judging.studies.configuration.settings import create_study
from judging.studies.unit_plans import plan

OPTIONS = ["the right one", "a wrong one", "another wrong one", "a third wrong one"]
LINE = 12  # words


def make_collection(query_ids: Iterable[str], slug: str = "bench") -> Collection:
    """A collection with topics and nothing else."""
    collection = Collection.objects.create(slug=slug)
    Topic.objects.bulk_create(
        Topic(
            collection=collection,
            query_id=query_id,
            title=f"topic {query_id}",
            description=f"What is known about {query_id}, and since when?",
            narrative="A relevant document names a source. " * 8,
        )
        for query_id in query_ids
    )
    return collection


def add_documents(collection: Collection, doc_ids: Iterable[str], words: int) -> None:
    """Documents with a text of so many words."""
    random = np.random.default_rng(8)
    known = ["".join(chr(97 + n) for n in random.integers(26, size=2 + k % 9)) for k in range(999)]
    for doc_id in doc_ids:
        chosen = random.choice(known, words).tolist()
        lines = [" ".join(chosen[at : at + LINE]) for at in range(0, words, LINE)]
        text = "\n".join(lines)
        Document.objects.create(
            collection=collection,
            doc_id=doc_id,
            title=lines[0],
            text=text,
            words=words,
            cleaned=clean_text(text, is_html=False),
            cleaner=VERSION,
        )


def make_study(
    collection: Collection, topics: Mapping[str, Sequence[str]], slug: str = "", **settings: Any
) -> Study:
    """A study, planned but not open. The first two documents of a topic are its anchors.

    A topic with more documents than those pools them all; one with just the anchors pools runs.
    """
    given = {
        query_id: {
            "question": "Which one is it?",
            "options": OPTIONS,
            "answer": OPTIONS[0],
            "h_k": doc_ids[0],
            "n_k": doc_ids[1],
            "documents": list(doc_ids[2:] and doc_ids),
        }
        for query_id, doc_ids in topics.items()
    }
    study = create_study(
        slug or collection.slug,
        collection.slug,
        {"title": "A benchmark", "topics": given, **settings},
    )
    plan(study, seed=8)
    return study


def begin_unit(study: Study, arrival: Arrival, now: datetime) -> Assignment:
    """A new worker's assignment, at its first document."""
    worker, _ = flow.admit(study, arrival, now)
    given = Assignment.objects.get(worker=worker)
    flow.start_practice(given.token, now)
    for line, length in enumerate(given.lines, 1):
        flow.practise(given.token, line, float(length), now)
    flow.read_instructions(given.token, now)
    flow.answer(given.token, OPTIONS[0], now)
    return given
