"""What is looked at before a study opens, and the verdicts that are given afterwards, by REST."""

from typing import Any

import pytest

from accounts.models import User
from judging.models import Study, TrailEntry
from tests.api.test_verbs import Api
from tests.factory import make_study
from tests.factory.completed import judged_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def rosa(db: None) -> User:
    return User.objects.create_user("rosa")


@pytest.fixture
def draft(rosa: User) -> Api:
    """A draft on a collection with runs and labels."""
    study, _ = judged_study(3, topics=2, units=2, runs=2)
    study.memberships.create(user=rosa, role="viewer")
    api = Api(rosa, study.slug)
    api("post", "clone/", 201, slug="draft", title="A draft")
    api.slug = "draft"
    return api


def test_pools_of_several_depths(draft: Api) -> None:
    pools = draft("get", "pool-depths/?depths=1,3&pool_by=order")
    assert [pool["depth"] for pool in pools] == [1, 3]
    assert pools[0]["documents"] <= pools[1]["documents"]
    assert pools[0]["unjudged"] >= pools[1]["unjudged"]
    assert len(pools[0]["runs"]) == 2
    assert all(0 <= share <= 1 for pool in pools for share in pool["unjudged"])
    assert len(draft("get", "pool-depths/")) >= 5
    for wrong in ("0", "1,,2", "x", "9" * 12, ",".join(map(str, range(1, 12)))):
        (fault,) = draft("get", f"pool-depths/?depths={wrong}", 400)["faults"]
        assert fault["parameter"] == "depths"


def test_anchors_are_proposed_and_taken(draft: Api) -> None:
    proposals = draft("get", "topics/401/proposals/")
    assert proposals.keys() == {"h_k", "n_k", "against"}
    levels = [candidate["level"] for candidate in proposals["h_k"]]
    assert levels == sorted(levels, reverse=True)
    draft("get", "topics/999/proposals/", 404)
    draft("patch", "topics/401/", h_k="", n_k="")
    assert draft("post", "take-anchors/") == {"taken": 1, "without": []}
    topic = next(row for row in draft("get", "topics/") if row["query_id"] == "401")
    assert topic["h_k"] == proposals["h_k"][0]["doc_id"]
    assert topic["n_k"] == proposals["n_k"][0]["doc_id"]
    draft("patch", "topics/401/", n_k="D401-003")
    (against,) = draft("get", "topics/401/proposals/")["against"]
    assert against.endswith("N_k D401-003 is labelled 3, relevant.")


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "pointer"),
    [
        ("get", "topics/999/proposals/", {}, 404, ""),
        ("patch", "topics/999/", {"question": "Which?"}, 404, ""),
        ("patch", "topics/999/", {"colour": "red"}, 404, ""),
        ("post", "topics/999/accept-anchors/", {"anchors_reason": "Read."}, 404, ""),
        ("patch", "topics/", {"topics": {"999": {"question": "?"}}}, 400, "#/topics/999"),
        ("put", "topics/", {"query_ids": ["999"]}, 400, "#/topics"),
        ("put", "config/", {"config": {"title": "x", "topics": {"999": {}}}}, 400, "#/topics/999"),
        ("post", "rehearsals/", {"topics": ["999"]}, 400, "#/topics"),
    ],
)
def test_a_topic_that_is_not_there(
    draft: Api, method: str, path: str, sent: dict[str, Any], status: int, pointer: str
) -> None:
    """In an address it is not found, in a body it is a fault of its field: never a conflict."""
    problem = draft(method, path, status, **sent)
    assert [fault["pointer"] for fault in problem.get("faults", [])] == (
        [pointer] if pointer else []
    )


def test_what_is_worth_a_look_and_what_would_go(draft: Api) -> None:
    assert draft("get", "warnings/") == []
    draft("patch", "topics/401/", h_k="D401-007", n_k="D401-003")
    (warning,) = draft("get", "warnings/")
    assert "N_k D401-003 is labelled 3, relevant." in warning["what"]
    assert draft("get", "hanging/")["hanging"]["topic"] == 2


def test_texts_are_marked_as_free_by_the_owner_of_the_collection(draft: Api, rosa: User) -> None:
    home = Study.objects.get(slug="draft").collection
    address = f"collections/{home.slug}/"
    assert draft("get", address, site=True)["free_to_share"] is False
    draft("post", f"{address}free-texts/", 403, site=True, free=True)
    home.owner = rosa
    home.save()
    marked = draft("post", f"{address}free-texts/", site=True, free=True)
    assert (marked["free_to_share"], marked["hanging"]["study"]) == (True, 2)


def test_a_verdict_takes_the_place_of_an_earlier_one(rosa: User) -> None:
    study = make_study()
    study.memberships.create(user=rosa, role="editor")
    api = Api(rosa, study.slug)
    about: dict[str, Any] = {"query_id": "401", "doc_id": "D401-001"}
    study.collection.label_sets.get_or_create(name="reference")
    first = api("post", "verdicts/", 201, **about, finding="crowd", note="The text says so.")
    assert (first["by"], first["labels"]) == ("rosa", "reference")
    api("post", "verdicts/", 201, **about, finding="labels")
    (verdict,) = api("get", "verdicts/")["results"]
    assert (verdict["finding"], verdict["note"]) == ("labels", "")
    assert TrailEntry.objects.filter(study=study, action="gave a verdict").count() == 2
    other = {**about, "doc_id": "nowhere"}
    assert api.faults("post", "verdicts/", **other, finding="crowd").keys() == {"#/doc_id"}
    assert api.faults("post", "verdicts/", **about, finding="both").keys() == {"#/finding"}
    named = {**about, "labels": "nowhere"}
    assert api.faults("post", "verdicts/", **named, finding="crowd").keys() == {"#/labels"}
