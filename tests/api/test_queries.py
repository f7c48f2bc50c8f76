"""How often the database is asked does not grow with what there is to tell."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.models import Role, Study
from tests.factory import make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs
from tests.workspace_pages import addresses, routes

pytestmark = pytest.mark.django_db

# Queries of a request, the token's or the log-in's included.
CONSTANT = {
    "/api/v1/collections/": 5,
    "/api/v1/studies/": 5,
    "/api/v1/studies/{}/": 3,
    "/api/v1/studies/{}/progress/": 7,
    "/api/v1/studies/{}/units/": 4,
    "/api/v1/studies/{}/judgments/": 6,
    "/api/v1/studies/{}/failures/": 4,
    "/api/v1/studies/{}/completions/": 4,
    "/api/v1/studies/{}/qrels/": 7,
    "/api/v1/studies/{}/rankings/": 7,
    "/studies/{}/units.csv": 7,
    "/studies/{}/rankings.csv": 7,
    "/studies/{}/table1.csv": 8,
}
# Pages, but those of one import or one table, of which there is nothing more.
PAGES = [route for route in routes() if "key>" not in route]
MOST = 35  # of a page
IN_PLACES = {
    "name": ["document-3"],
    "query_id": ["401"],
    "doc_id": ["D401-003"],
    "pseudonym": ["worker-0"],
    "analysis": ["differences", "rankings", "significance"],
    "run": ["run-0"],
    "other": ["run-1"],
}
FOR_EACH_TOPIC = {
    "/api/v1/studies/{}/rankings/?measure=nDCG@5": 2,
    "/api/v1/studies/{}/qrels/?normalisation=median": 2,
    "/studies/{}/judgments.csv": 2,
    "/studies/{}/": 2,
}


@pytest.fixture(scope="module")
def studies(for_all: None) -> dict[int, Study]:
    """A small study, and others that have more of everything, by their number of topics."""
    made = {}
    for topics in (1, 2, 4):
        study = made[topics] = make_study(topics=topics, redundancy=1)
        lists = {topic.topic.query_id: [("S1", 1.0)] for topic in study.topics.all()}
        add_runs(study, {f"run-{number}": lists for number in range(2 * topics)})
        for number in range(2 * topics):  # all there are
            complete(study, f"worker-{number}")
        evaluate(study)
    return made


@pytest.fixture(scope="module")
def owners(studies: dict[int, Study]) -> list[tuple[Client, Study]]:
    """Who has the smallest study and no other, and who has all the others, with their largest."""
    clients = []
    for name, own in (("ada", [1]), ("ben", [2, 4])):
        user = User.objects.create_user(name)
        for number in own:
            user.memberships.create(study=studies[number], role=Role.OWNER)
            user.collections.add(studies[number].collection)
        client = Client()
        client.force_login(user)
        clients.append((client, studies[own[-1]]))
    return clients


@pytest.fixture
def asked(researcher: Client, at_desk: Client) -> Callable[[str, Study], int]:
    def count(address: str, study: Study) -> int:
        client = researcher if address.startswith("/api/") else at_desk
        client.get(address.format(study.slug))  # what is kept for good is read the first time
        with CaptureQueriesContext(connection) as queries:
            response = client.get(address.format(study.slug))
            assert response.status_code == 200
            assert b"".join(response)  # type: ignore[call-overload]
        return len(queries)

    return count


@pytest.mark.parametrize("address", CONSTANT)
def test_more_to_tell_takes_no_more_queries(
    address: str, studies: dict[int, Study], asked: Callable[[str, Study], int]
) -> None:
    counts = {topics: asked(address, study) for topics, study in studies.items()}
    assert len(set(counts.values())) == 1, counts
    assert counts[1] <= CONSTANT[address]


@pytest.mark.parametrize("route", PAGES)
def test_a_page_takes_as_many_queries_of_more_studies_topics_and_units(
    route: str, owners: list[tuple[Client, Study]]
) -> None:
    counts = []
    for client, study in owners:
        slugs = {"slug": [study.slug], "collections/slug": [study.collection.slug]}
        of_pages = []
        for address in addresses(route, IN_PLACES | slugs):
            client.get(address)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address).status_code == 200, address
            of_pages.append(len(queries))
        counts.append(of_pages)
    assert counts[0] == counts[1]
    assert max(counts[0]) <= MOST


@pytest.mark.parametrize("address", FOR_EACH_TOPIC)
def test_where_topics_are_computed_each_takes_a_few(
    address: str, studies: dict[int, Study], asked: Callable[[str, Study], int]
) -> None:
    one, two, four = (asked(address, study) for study in studies.values())
    assert four - two == 2 * (two - one)
    assert two - one <= FOR_EACH_TOPIC[address]
