"""What the tests of judging share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from judging.models import Collection, Document, Label, LabelSet, Study, Topic
from tests.cast import Person, ada, ben
from tests.database import once_a_module, there_for_all
from tests.factory import make_study
from tests.judging.importing.files import Files


@pytest.fixture(scope=once_a_module)
def study_for_all(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    """An open study of one topic: 12 documents and two anchors, four units."""
    with there_for_all(django_db_blocker):
        yield make_study()


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    """That of all tests of a file, as it is before any of them."""
    return Study.objects.get(pk=study_for_all.pk)


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
def files(tmp_path: Path) -> Files:
    """A folder of files to import."""
    return Files(tmp_path)


class Desk(Client):
    """The browser of somebody who may see every study."""

    def page(self, address: str) -> str:
        """The HTML at an address."""
        response = self.get(address)
        assert response.status_code == 200
        return response.content.decode()

    def words(self, address: str) -> str:
        """The same, with single blanks."""
        return " ".join(self.page(address).split())


@pytest.fixture
def desk(db) -> Desk:
    desk = Desk()
    desk.force_login(User.objects.create_user("rita", is_superuser=True))
    return desk


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
