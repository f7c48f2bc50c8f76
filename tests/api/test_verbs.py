"""Studies made, looked at and run by REST: refusals point to fields."""

import tomllib
from typing import Any

import pytest

from accounts.models import User
from judging.models import Payment, Study, TrailEntry
from judging.studies.plan_jobs import make_plans
from tests.desks import Api, at_desk
from tests.factory import make_study
from tests.factory.completed import complete, judged_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db):
    return make_study()


@pytest.fixture
def rosa(db):
    return User.objects.create_user("rosa")


@pytest.fixture
def api(study, rosa):
    study.memberships.create(user=rosa, role="owner")
    return Api(rosa, study.slug)


# --- making one -----------------------------------------------------------------------------------
@pytest.fixture
def draft(api, study):
    """A draft that REST has made, on the collection of another study."""
    sent = {"title": "A new one", "config": {"unit_size": 5, "topics": {"401": {}}}}
    made = api.site("post", "studies/", 201, slug="new", collection=study.collection.slug, **sent)
    assert (made["slug"], made["title"]) == ("new", "A new one")
    assert (made["stage"], made["unit_size"]) == ("draft", 5)
    api.slug = "new"
    return api


def test_a_study_from_nothing_to_open(draft):
    assert {lack["step"] for lack in draft("get", "missing/")} == {
        *("anchors", "questions", "plan", "consent"),
    }
    topic = {
        "h_k": "D401-003",
        "n_k": "D401-000",
        "question": "Which?",
        "options": ["a", "b", "c", "d"],
        "answer": "a",
        "answer_sentence": "It is a.",
        "documents": [f"D401-{number:03}" for number in range(9)],
    }
    changed = draft("patch", "topics/401/", **topic)
    assert changed.items() >= topic.items()
    assert draft("get", "topics/") == [changed]
    assert draft("patch", minimum_seconds=0, redundancy=2, payment="3.00")["payment"] == "3.00"
    draft("patch", contact="Rosa", consent="Rosa asks.", ethics_exemption="no personal data")
    assert draft("post", "plan/", 202, seed=7)["state"] == "waiting"
    make_plans()
    planned = draft("get", "plan/")["result"]
    assert (planned["seed"], planned["documents"], planned["warnings"]) == (7, 9, [])
    assert draft("get", "missing/") == []
    config = draft("get", "config/")
    assert config["topics"]["401"]["answer"] == "a"
    toml = draft.client.get("/api/v1/studies/new/config/?file_format=toml")
    assert tomllib.loads(toml.content.decode())["topics"] == config["topics"]
    seen = draft("get", "open/")
    assert draft("post", "open/", confirm=seen["confirm"])["stage"] == "open"
    actions = [entry["action"] for entry in draft("get", "trail/")["results"]]
    assert actions == [
        *("made", "changed topics", "changed settings", "changed settings", "planned", "opened"),
    ]


def test_settings_that_are_wrong_are_pointed_to(draft):
    faults = draft.faults("patch", "", redundancy="many", retention=3, payment=-1)
    assert set(faults) == {"#/retention", "#/redundancy"}, "names and kinds first"
    faults = draft.faults("patch", "", redundancy=0, scale="loud", payment=-1)
    assert set(faults) == {"#/redundancy", "#/scale", "#/payment"}
    faults = draft.faults("patch", "topics/401/", h_k="nowhere", n_k="D401-000")
    assert faults == {"#/topics/401": "nowhere stands in neither documents, runs nor labels."}
    faults = draft.faults(
        "put", "config/", config={"title": "x", "topics": {"401": {"question": 3}}, "loud": 1}
    )
    assert faults["#/topics/401/question"] == "3; expected a text"
    several = {"401": {"question": "Why?", "h_k": 3}, "402": {"loud": 1}}
    faults = draft.faults("patch", "topics/", topics=several)
    assert set(faults) == {"#/topics/401/h_k", "#/topics/402/loud"}
    assert draft("get", "topics/")[0]["question"] == "", "nothing half done"


def test_two_editors_at_once(draft):
    seen = draft("get")["version"]
    draft("patch", title="Mine", version=seen)
    refused = draft("patch", "", 409, title="Yours", version=seen)
    assert "title: A new one → Mine" in refused["detail"]
    assert draft("get")["title"] == "Mine"


def test_copied_renamed_and_deleted(draft):
    assert draft("post", "clone/", 201, slug="copy", title="Copy")["slug"] == "copy"
    assert draft.faults("post", "clone/", slug="copy", title="Copy").keys() == {"#/slug"}
    assert draft("post", "rename/", slug="other")["slug"] == "other"
    draft.slug = "other"
    assert draft("delete")["deleted"]["topic"] == 1
    draft("get", "", 404)


def test_a_plan_is_discarded(draft, study):
    draft.slug = study.slug
    draft("delete", "plan/", 409)
    draft.slug = "new"
    draft("post", "plan/", 202)
    make_plans()
    assert "no document labelled" in draft("get", "plan/")["fault"]
    documents = [f"D401-{number:03}" for number in range(9)]
    draft("patch", "topics/401/", documents=documents)
    draft("post", "plan/", 202)
    make_plans()
    assert draft.faults("patch", "", unit_size=4)["#/unit_size"].startswith("the plan was made")
    draft("delete", "plan/")
    draft("patch", unit_size=4)


# --- running it -----------------------------------------------------------------------------------
def test_what_is_refused_is_pointed_to(api, study):
    assert "it must be paused" in api("post", "resume/", 409)["detail"]
    unit, code = f"401-{study.units.count()}", complete(study, "ada").assignment.completion_code
    api("post", "withdraw/", code=code)
    for path, sent, pointer, why in (
        ("raise-payment/", {"payment": "1"}, "#/payment", "expected more"),
        ("close/", {"final": False}, "#/final", "never opens again"),
        ("batches/", {"documents": {"401": ["no"]}, "redundancy": 1}, "#/documents", "in its pool"),
        ("exclusions/", {"worker": "nobody", "reason": "x"}, "#/worker", "no such worker"),
        ("withdraw/", {"code": code}, "#/code", "deleted already"),
        ("release-unit/", {"unit": unit}, "#/unit", "is not in progress"),
    ):
        assert why in api.faults("post", path, **sent)[pointer]


def test_lists_have_what_was_added(api, study):
    worker = complete(study, "ada").worker.pseudonym
    batch = api("post", "batches/", 201, documents={"401": ["D401-005"]}, redundancy=2, seed=5)
    assert (batch["number"], batch["seed"], batch["units"]) == (1, 5, 2)
    assert api("get", "batches/")["results"] == [batch]
    excluded = api("post", "exclusions/", 201, worker=worker, reason="Text is copied.")
    assert excluded["reason"] == "Text is copied."
    assert api("get", "exclusions/")["results"] == [excluded]
    api("delete", "exclusions/nobody/", 404)


# --- teams ----------------------------------------------------------------------------------------
def test_a_colleague_is_invited_and_leaves(api, study):
    link = api("post", "invitations/", 201, note="Otto", role="editor")["link"]
    (listed,) = api("get", "invitations/")["results"]
    assert (listed["note"], listed["role"], listed["made_by"]) == ("Otto", "editor", "rosa")
    otto = Api(User.objects.create_user("otto"), study.slug)
    otto("get", "team/", 404)
    secret = link.rstrip("/").rsplit("/", 1)[1]
    joined = otto("post", "invitations/accept/", site=True, secret=secret)
    assert joined == {"study": study.slug}
    otto("post", "invitations/accept/", 409, site=True, secret=secret)
    team = {row["username"]: row["role"] for row in otto("get", "team/")["results"]}
    assert team == {"rosa": "owner", "otto": "editor"}
    assert api("patch", "team/otto/", role="viewer")["role"] == "viewer"
    assert "needs an owner" in api("patch", "team/rosa/", 409, role="viewer")["detail"]
    otto("delete", "team/otto/", 204)
    otto("get", "team/", 404)


def test_only_who_sees_platforms_ids_gives_that_right(api, study):
    link = {"note": "Otto", "role": "viewer", "sees_platform_ids": True}
    assert "may let others see them" in api("post", "invitations/", 403, **link)["detail"]
    api("patch", "team/rosa/", 403, sees_platform_ids=True)
    study.memberships.update(sees_platform_ids=True)
    api("post", "invitations/", 201, **link)


def test_an_invitation_is_taken_back(api):
    api("post", "invitations/", 201, note="Otto", role="editor")
    (listed,) = api("get", "invitations/")["results"]
    otto = Api(User.objects.create_user("otto"), "")
    otto("delete", f"invitations/{listed['id']}/", 404, site=True)
    api("delete", f"invitations/{listed['id']}/", 204, site=True)
    assert api("get", "invitations/")["results"] == []


def test_admins_alone_invite_to_the_site(api):
    api("post", "invitations/", 403, site=True, note="Otto")
    ada = Api(User.objects.create_superuser("ada"), "")
    assert "/invitation/" in ada("post", "invitations/", 201, site=True, note="Otto")["link"]
    (listed,) = ada("get", "invitations/", site=True)["results"]
    api("delete", f"invitations/{listed['id']}/", 404, site=True)
    rosa = at_desk(User.objects.get(username="rosa"))
    assert rosa.post(f"/invitations/{listed['id']}/end/").status_code == 404


# --- anchors, warnings, verdicts -----------------------------------------------------------------
@pytest.fixture
def cloned(rosa):
    """A draft on a collection with runs and labels."""
    study, _ = judged_study(3, topics=2, units=2, runs=2)
    study.memberships.create(user=rosa, role="viewer")
    api = Api(rosa, study.slug)
    api("post", "clone/", 201, slug="draft", title="A draft")
    api.slug = "draft"
    return api


def test_pools_of_several_depths(cloned):
    pools = cloned("get", "pool-depths/?depths=1,3&pool_by=order")
    assert [pool["depth"] for pool in pools] == [1, 3]
    assert pools[0]["documents"] <= pools[1]["documents"]
    assert pools[0]["unjudged"] >= pools[1]["unjudged"]
    assert len(pools[0]["runs"]) == 2
    assert all(0 <= share <= 1 for pool in pools for share in pool["unjudged"])
    assert len(cloned("get", "pool-depths/")) >= 5
    for wrong in ("0", "1,,2", "x", "9" * 12, ",".join(map(str, range(1, 12)))):
        (fault,) = cloned("get", f"pool-depths/?depths={wrong}", 400)["faults"]
        assert fault["parameter"] == "depths"


def test_anchors_are_proposed_and_taken(cloned):
    proposals = cloned("get", "topics/401/proposals/")
    assert proposals.keys() == {"h_k", "n_k", "against"}
    levels = [candidate["level"] for candidate in proposals["h_k"]]
    assert levels == sorted(levels, reverse=True)
    cloned("get", "topics/999/proposals/", 404)
    cloned("patch", "topics/401/", h_k="", n_k="")
    assert cloned("post", "take-anchors/") == {"taken": 1, "without": []}
    topic = next(row for row in cloned("get", "topics/") if row["query_id"] == "401")
    assert topic["h_k"] == proposals["h_k"][0]["doc_id"]
    assert topic["n_k"] == proposals["n_k"][0]["doc_id"]
    cloned("patch", "topics/401/", n_k="D401-003")
    (against,) = cloned("get", "topics/401/proposals/")["against"]
    assert against.endswith("the irrelevant anchor D401-003 is labelled 3, relevant.")


NOT_THERE: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("get", "topics/999/proposals/", {}, 404, ""),
    ("patch", "topics/999/", {"question": "Which?"}, 404, ""),
    ("patch", "topics/999/", {"colour": "red"}, 404, ""),
    ("post", "topics/999/accept-anchors/", {"anchors_reason": "Read."}, 404, ""),
    ("patch", "topics/", {"topics": {"999": {"question": "?"}}}, 400, "#/topics/999"),
    ("put", "topics/", {"query_ids": ["999"]}, 400, "#/topics"),
    ("put", "config/", {"config": {"title": "x", "topics": {"999": {}}}}, 400, "#/topics/999"),
    ("post", "rehearsals/", {"topics": ["999"]}, 400, "#/topics"),
]


def test_a_topic_that_is_not_there(cloned):
    """In an address it is not found, in a body it is a fault of its field: never a conflict."""
    for method, path, sent, status, pointer in NOT_THERE:
        problem = cloned(method, path, status, **sent)
        pointers = [fault["pointer"] for fault in problem.get("faults", [])]
        assert pointers == ([pointer] if pointer else []), (method, path)


def test_what_is_worth_a_look_and_what_would_go(cloned):
    assert cloned("get", "warnings/") == []
    cloned("patch", "topics/401/", h_k="D401-007", n_k="D401-003")
    (warning,) = cloned("get", "warnings/")
    assert "the irrelevant anchor D401-003 is labelled 3, relevant." in warning["what"]
    assert cloned("get", "hanging/")["hanging"]["topic"] == 2


def test_texts_are_marked_as_free_by_the_owner_of_the_collection(cloned, rosa):
    home = Study.objects.get(slug="draft").collection
    address = f"collections/{home.slug}/"
    assert cloned("get", address, site=True)["free_to_share"] is False
    cloned("post", f"{address}free-texts/", 403, site=True, free=True)
    home.owner = rosa
    home.save()
    marked = cloned("post", f"{address}free-texts/", site=True, free=True)
    assert (marked["free_to_share"], marked["hanging"]["study"]) == (True, 2)


def test_a_verdict_takes_the_place_of_an_earlier_one(rosa):
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


# --- what all share -------------------------------------------------------------------------------
def test_a_body_that_is_none(api):
    address = f"/api/v1/studies/{api.slug}/close/"
    odd = api.faults("post", "close/", finally_=True)
    assert "no such field here; there are final" in odd["#/finally_"]
    nested = "[" * 30_000 + "]" * 30_000
    zero, half = (f'{{"config": {{"x": "{letter}"}}}}' for letter in ("\\u0000", "\\ud800"))
    for body in ("{", "[1]", '"x"', "NaN", nested, zero, half, '{"final": 1e999}'):
        answer = api.client.post(address, body, content_type="application/json")
        assert answer.status_code == 400, body[:80]
    assert api.faults("post", "close/", final="true") == {"#/final": "expected true or false"}
    faults = api.faults("post", "batches/", documents={"401": ["a", 1], "402": "b"}, redundancy="2")
    assert faults == {
        "#/documents/401/1": "expected a text",
        "#/documents/402": "expected a list",
        "#/redundancy": "expected a whole number",
    }
    assert api.client.post(address, {"final": "true"}).status_code == 415
    assert api("get")["stage"] == "open"


def test_what_is_asked_twice_with_a_key_is_done_once(api, study):
    def post():
        return api.client.post(
            f"/api/v1/studies/{study.slug}/batches/",
            {"documents": {"401": []}, "redundancy": 1},
            content_type="application/json",
            headers={"Idempotency-Key": "the first batch"},
        )

    first, second = post(), post()
    assert first.content == second.content
    assert study.batches.count() == 1


def test_payments_of_another_study_are_unknown(api, study):
    complete(study, "ada")
    complete(make_study(), "ben")
    own, other = Payment.objects.order_by("pk").values_list("pk", flat=True)
    decided = {"changed": 0, "unchanged": 0, "unknown": [str(other)]}
    for verb in ("approve-payments/", "mark-paid/", "owe-again/"):
        assert api("post", verb, payments=[other]) == decided
    both = api("post", "approve-payments/", payments=[own, other])
    assert both == decided | {"changed": 1}
