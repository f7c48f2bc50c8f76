"""Whole tables and pictures: by token and by page, unchanged ones not again, and compressed."""

import gzip
from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import User
from evaluation.pipeline import evaluate
from evaluation.publishing import exports
from judging import flow
from judging.models import Study
from judging.studies.unit_plans import plan
from tests.desks import body_of, with_token
from tests.factory import make_study
from tests.factory.completed import complete, judged_study
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db
GZIP = {"Accept-Encoding": "gzip, deflate"}


def test_every_table_is_the_file_of_the_page(researcher, at_desk, study):
    listed = researcher.get(f"/api/v1/studies/{study.slug}/files/").json()
    assert {(row["table"], row["file_format"]) for row in listed} == {
        (table, written) for table, export in exports.EXPORTS.items() for written in export.formats
    }
    for row in listed:
        table, written = row["table"], row["file_format"]
        address = f"/studies/{study.slug}/{table}.{written}"
        page = at_desk.get(address)
        wanted = body_of(page).decode()
        assert wanted == "".join(exports.lines(study, table, written))
        assert len(wanted) > 50
        name = f"{study.slug}-{table}.{written.replace('trec', 'txt')}"
        assert page["Content-Disposition"] == f'attachment; filename="{name}"'
        if written == "csv":
            assert wanted.splitlines()[0].split(",") == list(exports.EXPORTS[table].columns)
        by_token = researcher.get(row["url"])
        assert body_of(by_token).decode() == wanted
        assert name in by_token["Content-Disposition"]
        again = researcher.get(row["url"], headers={"If-None-Match": by_token["ETag"]})
        assert again.status_code == 304
        assert body_of(researcher.get(address)).decode() == wanted, "a token works there too"


def test_a_token_without_right_gets_a_problem_at_the_page_s_address(outsider, study):
    answer = outsider.get(f"/studies/{study.slug}/judgments.csv")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("table1.csv?gains=linear", 400, "gains: is for qrels and rankings alone"),
        ("qrels.csv?measure=AP", 400, "measure: is for rankings alone"),
        ("rankings.csv?measure=XY", 400, "there is no XY"),
        ("qrels.csv?normalisation=mean", 400, "expected one of"),
        ("table1.trec", 404, "is written as csv or jsonl"),
        ("nothing.csv", 404, "There is no table nothing"),
    ],
)
def test_a_file_that_there_is_not(researcher, study, path, status, said):
    answer = researcher.get(f"/api/v1/studies/{study.slug}/files/{path}")
    assert answer.status_code == status
    assert said in answer.json()["detail"]


# --- what has not changed is not sent again, and what has changed is ------------------------------
def withdraw(study: Study) -> None:
    assignment = study.assignments.filter(state="completed").earliest("id")
    flow.withdraw(str(assignment.completion_code), timezone.now())


CHANGES: dict[str, Callable[[Study], object]] = {
    "a unit is completed": lambda study: complete(study, "one more"),
    "a unit is withdrawn": withdraw,
    "a run is imported": lambda study: add_runs(study, {"new": {"401": [("D401-003", 1.0)]}}),
}
ADDRESSES = {
    "qrels": "/api/v1/studies/{}/qrels/",
    "crowdkit": "/api/v1/studies/{}/crowdkit/",
    "rankings": "/api/v1/studies/{}/rankings/",
    "file": "/studies/{}/rankings.csv",
    "picture": "/studies/{}/ranking.svg",
}


@pytest.fixture(scope="module")
def small(for_all):
    study, _ = judged_study(1, topics=2, units=3)
    evaluate(study)
    return study


@pytest.fixture(params=ADDRESSES)
def address(request, small):
    return ADDRESSES[request.param].format(small.slug)


@pytest.fixture
def client(researcher, at_desk, address):
    return researcher if address.startswith("/api/") else at_desk


def test_what_has_not_changed_is_not_sent_again(client, address):
    etag = client.get(address)["ETag"]
    assert client.head(address)["ETag"] == etag
    for wanted, status in ((etag, 304), (f'"other", {etag}', 304), ('"other"', 200)):
        again = client.get(address, headers={"If-None-Match": wanted})
        assert again.status_code == status
        if status == 304:
            assert (again.content, again["ETag"]) == (b"", etag)


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_is_sent(client, address, small, change):
    etag = client.get(address)["ETag"]
    CHANGES[change](small)
    evaluate(small)
    response = client.get(address, headers={"If-None-Match": etag})
    assert response.status_code == 200
    assert response["ETag"] != etag


def test_every_way_of_asking_has_a_tag_of_its_own(researcher, small):
    address = f"/api/v1/studies/{small.slug}/"
    asked = [
        *("qrels/", "qrels/?normalisation=median", "qrels/?aggregation=geometric"),
        *("qrels/?file_format=csv", "qrels/?normalisation=median&file_format=csv"),
    ]
    tags = [researcher.get(address + path)["ETag"] for path in asked]
    assert len(set(tags)) == len(asked)


def test_a_tag_is_one_whatever_the_address_holds(researcher, small):
    """Quotation marks and letters that no header may hold do not break it."""
    address, usual = f"/api/v1/studies/{small.slug}/rankings/", "&measure=nDCG@5"
    for query in ('measure=nDCG(dcg="jk")@5', f"measure=é{usual}", f"measure=%22{usual}"):
        etag = researcher.get(address, QUERY_STRING=query)["ETag"]
        assert etag.count('"') == 2
        assert etag.isascii()
        again = researcher.get(address, QUERY_STRING=query, headers={"If-None-Match": etag})
        assert again.status_code == 304


def test_gains_under_another_scheme_change_with_the_judgments(researcher, small):
    """They are computed from the judgments as they are, not from what is published."""
    address = f"/api/v1/studies/{small.slug}/qrels/?normalisation=none"
    first = researcher.get(address)
    before, etag = body_of(first), first["ETag"]
    for number in range(5):  # all that are left, so that no topic stays as it is
        complete(small, f"more-{number}")
    second = researcher.get(address, headers={"If-None-Match": etag})
    assert second.status_code == 200
    assert body_of(second) != before


def test_a_refusal_has_no_tag(researcher, stranger, small):
    address = f"/api/v1/studies/{small.slug}/rankings/"
    etag = researcher.get(address)["ETag"]
    for client, path, status in (
        (stranger, address, 401),
        (researcher, f"{address}?measure=x", 400),
        (researcher, address.replace(small.slug, "nowhere"), 404),
    ):
        response = client.get(path, headers={"If-None-Match": etag})
        assert response.status_code == status
        assert "ETag" not in response


def test_table1_of_a_draft_changes_with_its_plan(at_desk):
    study = make_study(opened=False)
    address = f"/studies/{study.slug}/table1.csv"
    first = at_desk.get(address)
    before, etag = body_of(first), first["ETag"]
    assert at_desk.get(address, headers={"If-None-Match": etag}).status_code == 304
    Study.objects.update(redundancy=5)
    plan(study, seed=1)
    second = at_desk.get(address, headers={"If-None-Match": etag})
    assert second.status_code == 200
    assert body_of(second) != before


# --- compressed -----------------------------------------------------------------------------------
PATHS = [
    "/api/v1/studies/",
    *(
        f"/api/v1/studies/{{}}/{path}"
        for path in (
            *("judgments/", "monitor/", "qrels/", "qrels/?file_format=jsonl", "rankings/"),
            *("config/?file_format=toml", "files/judgments.csv", "files/judgments.jsonl"),
        )
    ),
    *("/api/v1/studies/{}/files/qrels.trec", "/studies/{}/judgments.csv"),
]
CONDITIONAL = ["/api/v1/studies/{}/qrels/", "/api/v1/studies/{}/rankings/", PATHS[-2]]


@pytest.mark.parametrize("path", PATHS)
def test_what_is_unpacked_is_what_others_get(researcher, study, path):
    address = path.format(study.slug)
    plain, packed = researcher.get(address), researcher.get(address, headers=GZIP)
    assert (plain.status_code, packed.status_code) == (200, 200)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert packed.streaming == plain.streaming
    sent, whole = body_of(packed), body_of(plain)
    if "monitor" not in path:  # which has the time of asking
        assert gzip.decompress(sent) == whole
    assert len(sent) < len(whole)


@pytest.mark.parametrize("path", CONDITIONAL)
def test_each_etag_is_answered_304(researcher, study, path):
    address = path.format(study.slug)
    plain, packed = (researcher.get(address, headers=how)["ETag"] for how in ({}, GZIP))
    assert packed == f"W/{plain}"
    for etag in (plain, packed):
        for accepted in ({}, GZIP):
            response = researcher.get(address, headers={**accepted, "If-None-Match": etag})
            assert response.status_code == 304
            assert body_of(response) == b""
            assert "Content-Encoding" not in response


def test_archives_and_answers_to_post_are_sent_as_they_are(study):
    client = with_token(User.objects.create_superuser("petra"))
    for path, body in (("release/", {}), ("invitations/", {"note": "Otto", "role": "viewer"})):
        address = f"/api/v1/studies/{study.slug}/{path}"
        response = client.post(address, body, "application/json", headers=GZIP)
        assert response.status_code in (200, 201)
        assert "Content-Encoding" not in response
