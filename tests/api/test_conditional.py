"""ETag and 304: what has not changed is not sent again, and what has changed is."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.pipeline import evaluate
from judging import flow
from judging.models import Study
from judging.studies.unit_plans import plan
from tests.factory import make_study
from tests.factory.completed import complete, judged_study
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def study(for_all: None) -> Study:
    study, _ = judged_study(1, topics=2, units=3)
    evaluate(study)
    return study


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


@pytest.fixture(params=ADDRESSES)
def address(request: pytest.FixtureRequest, study: Study) -> str:
    return ADDRESSES[request.param].format(study.slug)


@pytest.fixture
def client(researcher: Client, at_desk: Client, address: str) -> Client:
    return researcher if address.startswith("/api/") else at_desk


def test_what_has_not_changed_is_not_sent_again(client: Client, address: str) -> None:
    etag = client.get(address)["ETag"]
    again = client.get(address, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == etag
    several = client.get(address, headers={"If-None-Match": f'"other", {etag}'})
    assert several.status_code == 304
    assert client.get(address, headers={"If-None-Match": '"other"'}).status_code == 200
    assert client.head(address)["ETag"] == etag


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_is_sent(client: Client, address: str, study: Study, change: str) -> None:
    etag = client.get(address)["ETag"]
    CHANGES[change](study)
    evaluate(study)
    response = client.get(address, headers={"If-None-Match": etag})
    assert response.status_code == 200
    assert response["ETag"] != etag


def test_every_way_of_asking_has_a_tag_of_its_own(researcher: Client, study: Study) -> None:
    address = f"/api/v1/studies/{study.slug}/"
    asked = [
        *("qrels/", "qrels/?normalisation=median", "qrels/?aggregation=geometric"),
        *("qrels/?file_format=csv", "qrels/?normalisation=median&file_format=csv"),
    ]
    tags = [researcher.get(address + path)["ETag"] for path in asked]
    assert len(set(tags)) == len(asked)
    assert researcher.get(address + asked[1], headers={"If-None-Match": tags[0]}).status_code == 200


def test_a_tag_is_one_whatever_the_address_holds(researcher: Client, study: Study) -> None:
    """Quotation marks and letters that no header may hold do not break it."""
    usual = "&measure=nDCG@5"
    for query in ('measure=nDCG(dcg="jk")@5', f"measure=é{usual}", f"measure=%22{usual}"):
        response = researcher.get(f"/api/v1/studies/{study.slug}/rankings/", QUERY_STRING=query)
        etag = response["ETag"]
        assert etag.count('"') == 2
        assert etag.isascii()
        again = researcher.get(
            f"/api/v1/studies/{study.slug}/rankings/",
            QUERY_STRING=query,
            headers={"If-None-Match": etag},
        )
        assert again.status_code == 304


def test_gains_under_another_scheme_change_with_the_judgments(
    researcher: Client, study: Study
) -> None:
    """They are computed from the judgments as they are, not from what is published."""
    address = f"/api/v1/studies/{study.slug}/qrels/?normalisation=none"
    first = researcher.get(address)
    before, etag = b"".join(first), first["ETag"]  # type: ignore[call-overload]
    for number in range(5):  # all that are left, so that no topic stays as it is
        complete(study, f"more-{number}")
    second = researcher.get(address, headers={"If-None-Match": etag})
    assert second.status_code == 200
    assert b"".join(second) != before  # type: ignore[call-overload]


def test_a_refusal_has_no_tag(researcher: Client, stranger: Client, study: Study) -> None:
    address = f"/api/v1/studies/{study.slug}/rankings/"
    etag = researcher.get(address)["ETag"]
    for client, path, status in (
        (stranger, address, 401),
        (researcher, f"{address}?measure=x", 400),
        (researcher, address.replace(study.slug, "nowhere"), 404),
    ):
        response = client.get(path, headers={"If-None-Match": etag})
        assert response.status_code == status
        assert "ETag" not in response


def test_table1_of_a_draft_changes_with_its_plan(at_desk: Client) -> None:
    study = make_study(opened=False)
    address = f"/studies/{study.slug}/table1.csv"
    first = at_desk.get(address)
    before, etag = b"".join(first), first["ETag"]  # type: ignore[call-overload]
    assert at_desk.get(address, headers={"If-None-Match": etag}).status_code == 304
    Study.objects.update(redundancy=5)
    plan(study, seed=1)
    second = at_desk.get(address, headers={"If-None-Match": etag})
    assert second.status_code == 200
    assert b"".join(second) != before  # type: ignore[call-overload]
