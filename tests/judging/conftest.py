"""What the tests of judging share."""

from collections.abc import Iterator
from typing import Any

import pytest

from judging.models import Collection, Document, Label, LabelSet, Study, Topic
from tests.cast import Person, ada, ben
from tests.database import once_a_module, there_for_all
from tests.factory import make_study


@pytest.fixture
def study(db) -> Study:
    """An open study of one topic: 12 documents and two anchors, four units."""
    return make_study()


@pytest.fixture(scope=once_a_module)
def study_for_all(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    """The same, made once for all tests of a file, whose `study` takes it from here."""
    with there_for_all(django_db_blocker):
        yield make_study()


@pytest.fixture
def worker(study) -> Person:
    """Ada, who has not come yet."""
    return ada(study)


@pytest.fixture
def judging(worker) -> Person:
    """Ada, who has just come to her first document."""
    return worker.come_to_documents()


@pytest.fixture
def another(study) -> Person:
    """Ben, who has not come yet."""
    return ben(study)


@pytest.fixture
def home(db) -> Collection:
    """A collection of topics 401 and 402, documents A to H with texts, and L only labelled."""
    home = Collection.objects.create(slug="home")
    for query_id in ("401", "402"):
        Topic.objects.create(collection=home, query_id=query_id, title="t")
    for doc_id in "ABCDEFGH":
        Document.objects.create(collection=home, doc_id=doc_id, text="t", words=1, cleaner=1)
    labels = LabelSet.objects.create(collection=home)
    topic = Topic.objects.get(query_id="401")
    for doc_id, level in (("A", 2), ("B", 0), ("L", 1)):
        Label.objects.create(label_set=labels, topic=topic, doc_id=doc_id, level=level)
    return home
