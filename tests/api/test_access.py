"""Admins see everything, strangers nothing; platforms' ids leave where people are paid."""

import re

import pytest
from django.test import Client

from accounts.models import Token, User
from evaluation.exports import EXPORTS, lines
from evaluation.pipeline import evaluate
from judging.flow.admission import Arrival
from judging.models import Study
from judging.pages import identity
from tests.factory import make_study
from tests.factory.completed import EXTERNAL_ID, PLATFORM_IDS, complete
from tests.factory.runs import add_runs

OF_STUDY = (
    *("", "progress/", "units/", "judgments/", "failures/", "completions/", "pay/"),
    "payments/",
    *("qrels/", "crowdkit/", "rankings/", "analyses/", "files/", "files/table1.csv"),
    *("signals/", "links/", "random-givers/"),
)
FILES = [f"{table}.{written}" for table, export in EXPORTS.items() for written in export.formats]
SETUP_PAGES = [
    f"setup/{path}"
    for path in (
        *("", "topics/", "pool/", "pool/401/", "anchors/", "anchors/401/", "questions/"),
        *("questions/401/", "settings/", "recruiting/", "consent/", "study.toml"),
        *("file/", "clone/"),
    )
]
RUNS = "bm25", "dirichlet"
PAGES = (
    "",
    "monitor/",
    "workers/",
    "plan/",
    "running/",
    "pay/",
    "preview/",
    "preview/welcome/",
    "prolific/",
    "rehearsal/",
    "publish/",
    "ranking.svg",
    "ranking.pdf",
    *SETUP_PAGES,
    "systems/",
    *("systems/bm25/", "systems/bm25/against/dirichlet/"),
    "systems/bm25/topics/401/",
    "topics/",
    "topics/401/",
    "topics/401/documents/D401-003/",
    "replication/",
    "method/",
    "method/rankings/",
    "report/",
    *FILES,
)


def addresses(study: Study) -> list[str]:
    """All of the API that has data."""
    below = [f"/api/v1/studies/{study.slug}/{path}" for path in OF_STUDY]
    return ["/api/v1/collections/", "/api/v1/studies/", *below]


def pages(study: Study) -> list[str]:
    below = [f"/studies/{study.slug}/{path}" for path in PAGES]
    return ["/studies/", f"/uploads/run/{study.slug}/", *below]


def ranked_study() -> Study:
    """One unit of it is completed, so that its two systems are ranked."""
    study = make_study()
    topics = study.topics.values_list("topic__query_id", flat=True)
    add_runs(study, {run: {topic: [(f"D{topic}-000", 1.0)] for topic in topics} for run in RUNS})
    complete(study, "first")
    evaluate(study)
    return study


@pytest.fixture
def small(db: None) -> Study:
    return ranked_study()


def body(response: object) -> bytes:
    return b"".join(response)  # type: ignore[call-overload]


def test_a_token_of_an_admin_opens_everything(researcher: Client, small: Study) -> None:
    for address in addresses(small):
        assert researcher.get(address).status_code == 200, address


def test_a_log_in_of_an_admin_opens_everything(at_desk: Client, small: Study) -> None:
    for address in (*addresses(small), *pages(small)):
        assert at_desk.get(address).status_code == 200, address


@pytest.mark.parametrize("authorization", ["", "Token nonsense", "Token", "Token a b", "Bearer x"])
def test_without_a_token_that_is_known_the_answer_is_401(small: Study, authorization: str) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    for number, address in enumerate(addresses(small)):
        client = Client(headers=headers, REMOTE_ADDR=f"10.0.0.{number}")
        response = client.get(address)
        assert response.status_code == 401, address
        assert response["WWW-Authenticate"] == (authorization.split() or ["Token"])[0]
        assert response["Content-Type"] == "application/problem+json"
        assert small.slug not in response.content.decode()
        for method in ("head", "options", "post"):
            assert getattr(client, method)(address).status_code == 401, address


@pytest.mark.parametrize("who", ["stranger", "outsider"])
@pytest.mark.parametrize("address", ["/api/v1/studies/{}/rankings/", "/studies/{}/"])
def test_a_stranger_does_not_learn_which_studies_there_are(
    request: pytest.FixtureRequest, who: str, address: str, small: Study
) -> None:
    """Neither without an account nor with one."""
    client: Client = request.getfixturevalue(who)
    there, not_there = (client.get(address.format(slug)) for slug in (small.slug, "nowhere"))
    assert there.status_code == not_there.status_code
    assert there.content == not_there.content
    assert there.get("Location", "").replace(small.slug, "nowhere") == not_there.get("Location", "")


def test_a_token_ends_with_its_user_s_rights(researcher: Client, small: Study) -> None:
    address = f"/api/v1/studies/{small.slug}/"
    User.objects.update(is_superuser=False)
    assert researcher.get(address).status_code == 404
    User.objects.update(is_superuser=True, is_active=False)
    assert researcher.get(address).status_code == 401
    User.objects.update(is_active=True)
    Token.objects.all().delete()
    assert researcher.get(address).status_code == 401


def test_a_worker_sees_none_of_it(study: Study) -> None:
    client = Client()
    cookie = identity.signed_cookie(study.pk, Arrival("eve"))
    client.cookies[identity.cookie_name(study.pk)] = cookie
    page = client.get(f"/study/{study.slug}/", follow=True).content
    assert b'data-position="1"' in page
    for address in addresses(study):
        assert client.get(address).status_code == 401, address
    for address in pages(study):
        assert client.get(address).url == f"/login/?next={address}"


def test_pages_lead_a_stranger_to_the_log_in_and_back(stranger: Client, small: Study) -> None:
    user = User.objects.create_user("rosa", password="over-the-rosy-hills", is_superuser=True)
    for address in pages(small):
        response = stranger.get(address)
        assert (response.status_code, response.url) == (302, f"/login/?next={address}")
    response = stranger.post(
        "/login/",
        {
            "login": user.get_username(),
            "password": "over-the-rosy-hills",
            "next": f"/studies/{small.slug}/monitor/",
        },
    )
    assert response.url == f"/studies/{small.slug}/monitor/"
    assert stranger.get(response.url).status_code == 200


def test_results_cannot_be_changed(researcher: Client, small: Study) -> None:
    made = ("/api/v1/studies/", f"/api/v1/studies/{small.slug}/")
    for address in [address for address in addresses(small) if address not in made]:
        for method in ("post", "put", "patch", "delete"):
            response = getattr(researcher, method)(address)
            assert response.status_code == 405, address
            assert "GET" in response["Allow"]


def test_ids_of_platforms_appear_where_people_are_paid_only(
    researcher: Client, at_desk: Client, study: Study
) -> None:
    secrets = re.compile("|".join([EXTERNAL_ID, *PLATFORM_IDS.values(), "PROLIFIC|SESSION_ID"]))
    found = [
        address
        for client, given in ((researcher, addresses(study)), (at_desk, pages(study)))
        for address in given
        if secrets.search(body(client.get(address)).decode(errors="replace"))
    ]
    below = f"/api/v1/studies/{study.slug}/"
    doors = [f"{below}completions/", f"{below}payments/", f"/studies/{study.slug}/pay/"]
    assert found == doors
    for table, export in EXPORTS.items():
        for written in export.formats:
            assert not secrets.search("".join(lines(study, table, written)))
