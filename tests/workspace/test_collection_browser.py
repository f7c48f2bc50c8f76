"""A collection is looked into, by everybody who may see it."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from judging.models import Collection, Document, Label, Membership
from tests.desks import words
from tests.factory import make_study
from workspace import collection_browser


@pytest.fixture
def home(rosa: User) -> Collection:
    """With a run; rosa is a viewer of a study on it."""
    study = make_study(topics=2)
    Membership.objects.create(study=study, user=rosa, role="viewer")
    return study.collection


def found(desk: Client, home: Collection, **query: str) -> list[str]:
    page = desk.get(f"/collections/{home.slug}/documents/", query)
    return [document.doc_id for document in page.context["matches"].documents]


def test_a_viewer_reads_documents_topics_labels_and_lists(desk: Client, home: Collection) -> None:
    topic = home.topics.get(query_id="401")
    document = Document.objects.get(collection=home, doc_id="D401-003")
    page = desk.get(f"/collections/{home.slug}/")
    assert f"/collections/{home.slug}/topics/401/" in page.content.decode()
    page = desk.get(f"/collections/{home.slug}/topics/401/")
    assert topic.title in words(page)
    labels = Label.objects.filter(topic=topic)
    assert page.context["labels"].all == labels.count() > 0
    assert f"/collections/{home.slug}/documents/D401-003/" in page.content.decode()
    page = desk.get(f"/collections/{home.slug}/documents/D401-003/")
    assert "Text of D401-003." in words(page)
    assert [label.topic for label in page.context["labels"]] == [topic]
    assert "<form" not in page.content.decode().partition("<main")[2]
    for ranked in topic.lists.select_related("run"):
        page = desk.get(f"/collections/{home.slug}/topics/401/runs/{ranked.run.tag}/")
        places = [place for place, *_ in page.context["rows"]]
        assert places == list(range(1, len(places) + 1))
        scores = [score for _, _, _, score, _ in page.context["rows"]]
        assert scores == sorted(scores, reverse=True)
    assert document.collection == home


def test_nobody_else_sees_them_and_what_is_not_there_is_404(desk: Client, home: Collection) -> None:
    other = make_study().collection
    inside = ("documents/", "documents/D401-003/", "topics/401/", "topics/401/runs/A/")
    for path in inside:
        assert desk.get(f"/collections/{other.slug}/{path}").status_code == 404
    for path in ("documents/none/", "topics/999/", "topics/401/runs/none/"):
        assert desk.get(f"/collections/{home.slug}/{path}").status_code == 404


def test_documents_are_found_by_id_and_by_words_a_page_at_a_time(
    desk: Client, home: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection_browser, "ROWS", 4)
    ids = sorted(home.documents.values_list("doc_id", flat=True))
    assert found(desk, home) == ids[:4]
    assert found(desk, home, after=ids[3]) == ids[4:8]
    assert found(desk, home, id="D402-00") == [each for each in ids if "D402-00" in each][:4]
    assert found(desk, home, words="TEXT d401-003") == ["D401-003"]
    assert found(desk, home, words="nowhere") == []
    assert (
        found(desk, home, id="%")
        == found(desk, home, after="Z")
        == found(desk, home, words="\0nowhere")
        == []
    )


def test_a_page_searches_so_many_texts_and_says_how_far(
    desk: Client, home: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection_browser, "MAX_SCANNED", 2)
    ids = sorted(home.documents.values_list("doc_id", flat=True))
    address: str = f"/collections/{home.slug}/documents/"
    page: Any = desk.get(address, {"words": ids[2]})
    assert f"searched up to {ids[1]}" in words(page)
    page = desk.get(address + page.context["next"])
    assert [document.doc_id for document in page.context["matches"].documents] == [ids[2]]
    last = desk.get(address, {"words": "nowhere", "after": ids[-2]})
    assert (last.context["next"], last.context["matches"].searched_to) == ("", "")
