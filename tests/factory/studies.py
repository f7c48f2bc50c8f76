"""Small studies for tests, made the way researchers make them."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

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


def make_study(
    *, topics: int = 1, documents: int = 14, opened: bool = True, **settings: Any
) -> Study:
    """An open study of `topics` topics with `documents` pooled documents each."""
    slug = f"study-{next(_numbers)}"
    collection = Collection.objects.create(slug=slug)
    labels = LabelSet.objects.create(collection=collection, name="reference")
    given = {}
    for number in range(401, 401 + topics):
        topic = Topic.objects.create(
            collection=collection,
            query_id=str(number),
            title=f"topic {number}",
            description=f"What about {number}?",
            narrative="All that matters is relevant.",
        )
        ids = [f"D{number}-{n:03}" for n in range(documents)]
        Document.objects.bulk_create(
            make_document(collection, i, f"Text of {i}.", title=f"Title {i}") for i in ids
        )
        Label.objects.bulk_create(
            Label(label_set=labels, topic=topic, doc_id=i, level=n % 4) for n, i in enumerate(ids)
        )
        given[str(number)] = {
            "question": "Which one?",
            "options": OPTIONS,
            "answer": OPTIONS[0],
            "h_k": ids[3],
            "n_k": ids[0],
            "documents": ids,
        }
    usual = {"title": f"Study {slug}", "redundancy": 2, "payment": 1, "entry": "open"}
    settings = usual | settings
    study = create_study(slug, slug, {**settings, "topics": given})
    plan(study, seed=1)
    return open_study(slug) if opened else study


def later(seconds: float) -> datetime:
    """So many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def roles(order: list[int]) -> list[str]:
    """The role of each document in an order of pooled documents."""
    known = dict(PooledDocument.objects.filter(pk__in=order).values_list("pk", "role"))
    return [known[key] for key in order]
