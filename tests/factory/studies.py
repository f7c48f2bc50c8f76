"""Small studies for tests, made the way researchers make them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import numpy as np
import pytest

from judging.collections.cleaning import VERSION, clean_text
from judging.models import (
    Collection,
    Document,
    Label,
    LabelSet,
    PooledDocument,
    Study,
    Topic,
)
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.settings import create_study
from judging.studies.unit_plans import plan
from magnitudes.files.documents import Document as ReadDocument
from magnitudes.files.lengths import length

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
GRADED = {"scale": "graded", "levels": ["Non", "Rel", "HRel", "Key"]}
SCALES = [pytest.param({}, id="magnitudes"), pytest.param(GRADED, id="levels")]
OPTIONS = ["the right one", "a wrong one", "another wrong one", "a third wrong one"]
_numbers = count(1)


def make_document(
    collection: Collection, doc_id: str, text: str, *, title: str = "", is_html: bool = False
) -> Document:
    """A document as an import brings it, not saved yet."""
    return Document(
        collection=collection,
        doc_id=doc_id,
        title=title,
        text=text,
        is_html=is_html,
        words=length(ReadDocument(doc_id, title, text, is_html)),
        cleaned=clean_text(text, is_html),
        cleaner=VERSION,
    )


def make_collection(topics: int = 1) -> Collection:
    """A collection with so many topics, from 401 on, and nothing else."""
    collection = Collection.objects.create(slug=f"study-{next(_numbers)}")
    Topic.objects.bulk_create(
        Topic(
            collection=collection,
            query_id=str(number),
            title=f"topic {number}",
            description=f"What about {number}?",
            narrative="All that matters is relevant.",
        )
        for number in range(401, 401 + topics)
    )
    return collection


def add_documents(collection: Collection, doc_ids: Iterable[str], words: int = 0) -> None:
    """Documents with titles; their texts name them, in so many words where it is said."""
    rng = np.random.default_rng(8)
    known = rng.integers(97, 123, (999, 6), dtype=np.uint8).view("S6").ravel().astype(str)

    def text(doc_id: str) -> str:
        lines = rng.choice(known, (words // 12, 12))
        return "\n".join(map(" ".join, lines)) or f"Text of {doc_id}."

    Document.objects.bulk_create(
        make_document(collection, i, text(i), title=f"Title {i}") for i in doc_ids
    )


def plan_study(
    collection: Collection, pools: Mapping[str, Sequence[str]], *, slug: str = "", **settings: Any
) -> Study:
    """A study of these documents by topic, planned but not open; its labels need not be there."""
    slug = slug or collection.slug
    given = {
        query_id: {
            "question": "Which one?",
            "options": OPTIONS,
            "answer": OPTIONS[0],
            "h_k": ids[3],
            "n_k": ids[0],
            "documents": ids,
        }
        for query_id, ids in pools.items()
    }
    usual = {"title": f"Study {slug}", "redundancy": 2, "payment": 1, "entry": "open"}
    study = create_study(slug, collection.slug, {**usual, **settings, "topics": given})
    plan(study, seed=1)
    return study


def make_study(
    *, topics: int = 1, documents: int = 14, words: int = 0, opened: bool = True, **settings: Any
) -> Study:
    """An open study of `topics` topics with `documents` pooled documents each."""
    collection = make_collection(topics)
    labels = LabelSet.objects.create(collection=collection, name="reference")
    pools = {}
    for topic in collection.topics.order_by("pk"):
        pools[topic.query_id] = ids = [f"D{topic.query_id}-{n:03}" for n in range(documents)]
        add_documents(collection, ids, words)
        Label.objects.bulk_create(
            Label(label_set=labels, topic=topic, doc_id=i, level=n % 4) for n, i in enumerate(ids)
        )
    study = plan_study(collection, pools, **settings)
    return open_study(study.slug) if opened else study


def later(seconds: float) -> datetime:
    """So many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def roles(order: list[int]) -> list[str]:
    """The role of each document in an order of pooled documents."""
    known = dict(PooledDocument.objects.filter(pk__in=order).values_list("pk", "role"))
    return [known[key] for key in order]
