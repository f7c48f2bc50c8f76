"""What is said of a collection, worked out by hand."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from judging.collections.content import LevelCount, content
from judging.models import Collection, Document, Label, Membership, Role, Run, Study
from tests.factory import make_study
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db

LISTS = {
    "a": {"401": ["D401-000", "D401-001"], "402": ["D402-000"]},
    "b": {"401": ["D401-001", "nowhere", "D401-002"]},
    "c": {"402": ["D402-005"]},
}


@pytest.fixture
def study() -> Study:
    study = make_study(topics=2, documents=8)
    lists = {
        tag: {
            query_id: [(doc_id, -float(place)) for place, doc_id in enumerate(doc_ids)]
            for query_id, doc_ids in of_run.items()
        }
        for tag, of_run in LISTS.items()
    }
    add_runs(study, lists)
    Run.objects.create(collection=study.collection, tag="none")
    return study


def test_runs_by_hand(study: Study) -> None:
    found = content(study.collection)
    rows = {run.tag: run for run in found.runs}
    assert [(run.topics, run.shortest, run.median, run.longest) for run in rows.values()] == [
        (2, 1, 1.5, 2),
        (1, 3, 3, 3),
        (1, 1, 1, 1),
        (0, 0, 0, 0),
    ]
    shared = [run.shared for run in rows.values()]
    assert shared[:3] == pytest.approx([(1 / 2 + 0) / 2, 1 / 3, 0])
    assert shared[3] is None
    assert (found.pooled, found.pooled_without_text) == (6, 1)


def test_topics_documents_and_labels_by_hand(study: Study) -> None:
    labels = study.collection.label_sets.get()
    topic = study.collection.topics.get(query_id="401")
    Label.objects.create(label_set=labels, topic=topic, doc_id="nowhere", level=-1.5)
    found = content(study.collection)
    assert found.documents == Document.objects.count() == 16
    lists = {topic.query_id: topic.list_count for topic in found.topics}
    assert lists == {"401": 2, "402": 2}
    (told,) = found.label_sets
    assert told.levels == [LevelCount(-1.5, 1), *(LevelCount(level, 4) for level in range(4))]
    assert (told.labels, told.topics, told.without_text) == (17, 2, 1)


def test_an_empty_one() -> None:
    found = content(Collection.objects.create(slug="bare"))
    assert (found.documents, found.topics, found.label_sets, found.runs) == (0, [], [], [])
    assert (found.pooled, found.pooled_without_text) == (0, 0)


def test_pages_are_for_those_who_may_see_it(study: Study, desk: Any) -> None:
    other, colleague = make_study(), User.objects.create_user("otto")
    address = f"/collections/{study.collection}/"
    desk.force_login(colleague)
    assert desk.get(address).status_code == 404
    assert "No collection yet" in desk.page("/collections/")
    assert not Collection.objects.seen_by(colleague).exists()
    Membership.objects.create(study=study, user=colleague, role=Role.VIEWER)
    page = desk.page(address)
    assert "2 topics, 16 documents, 4 runs" in page
    assert "Of the 6 documents among the first 10 of any list, 1 has no text here" in page
    listed = desk.page("/collections/")
    assert "1 collection<" in listed
    assert f">{other.collection}<" not in listed
    assert Client().get(address).url == f"/login/?next={address}"


@pytest.mark.parametrize("how", ["owner", "shared"])
def test_one_s_own_and_those_that_were_shared(study: Study, desk: Any, how: str) -> None:
    user = User.objects.create_user("otto")
    if how == "owner":
        Collection.objects.filter(pk=study.collection_id).update(owner=user)
    else:
        study.collection.shared_with.add(user)
    desk.force_login(user)
    page = desk.page(f"/collections/{study.collection}/")
    assert "Studies on it" not in page, "that the study exists is not said"


def test_queries_do_not_grow_with_runs_and_collections(
    study: Study, desk: Any, django_assert_max_num_queries
) -> None:
    for _ in range(3):
        make_study()
    with django_assert_max_num_queries(4):
        desk.get("/collections/")
    add_runs(study, {f"run-{n}": {"401": [("D401-003", 1.0)]} for n in range(20)})
    with django_assert_max_num_queries(20):
        desk.get(f"/collections/{study.collection}/")
