"""How often the database is asked does not grow with what there is to tell."""

import re
from collections.abc import Callable, Iterator, Sequence

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.api.views import PagedListView
from judging.models import Participant, Role, Study, Worker
from judging.studies.conduct.batches import add_batch
from judging.studies.team import invite
from tests.desks import at_desk as desk_of
from tests.factory import NOON, make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs
from tests.workspace_pages import addresses, routes
from web import clock

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
MOST = 37  # of a page
IN_PLACES = {
    "name": ["document-3"],
    "query_id": ["401"],
    "doc_id": ["D401-003"],
    "pseudonym": ["worker-0"],
    "analysis": ["differences", "rankings", "significance"],
    "run": ["run-0"],
    "other": ["run-1"],
    "tag": ["run-0"],
}
FOR_EACH_TOPIC = {
    "/api/v1/studies/{}/rankings/?measure=nDCG@5": 2,
    "/api/v1/studies/{}/qrels/?normalisation=median": 2,
    "/studies/{}/judgments.csv": 2,
    "/studies/{}/": 2,
}


def queries_of(client: Client, address: str) -> int:
    client.get(address)  # what is kept for good is read the first time
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address)
        assert response.status_code == 200, address
        assert b"".join(response)
    return len(queries)


@pytest.fixture(scope="module")
def studies(for_all):
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
def owners(studies):
    """Who has the smallest study and no other, and who has all the others, with their largest."""
    clients = []
    for name, own in (("ada", [1]), ("ben", [2, 4])):
        user = User.objects.create_user(name)
        for number in own:
            user.memberships.create(study=studies[number], role=Role.OWNER)
            user.collections.add(studies[number].collection)
        clients.append((desk_of(user), studies[own[-1]]))
    return clients


@pytest.fixture
def asked(researcher: Client, at_desk: Client) -> Callable[[str, Study], int]:
    def count(address: str, study: Study) -> int:
        client = researcher if address.startswith("/api/") else at_desk
        return queries_of(client, address.format(study.slug))

    return count


@pytest.mark.parametrize("address", CONSTANT)
def test_more_to_tell_takes_no_more_queries(address, studies, asked):
    counts = {topics: asked(address, study) for topics, study in studies.items()}
    assert len(set(counts.values())) == 1, counts
    assert counts[1] <= CONSTANT[address]


@pytest.mark.parametrize("route", PAGES)
def test_a_page_takes_as_many_queries_of_more_studies_topics_and_units(route, owners):
    counts = []
    for client, study in owners:
        slugs = {"slug": [study.slug], "collections/slug": [study.collection.slug]}
        counts.append([queries_of(client, each) for each in addresses(route, IN_PLACES | slugs)])
    assert counts[0] == counts[1]
    assert max(counts[0]) <= MOST


@pytest.mark.parametrize("address", FOR_EACH_TOPIC)
def test_where_topics_are_computed_each_takes_a_few(address, studies, asked):
    one, two, four = (asked(address, study) for study in studies.values())
    assert four - two == 2 * (two - one)
    assert two - one <= FOR_EACH_TOPIC[address]


# --- every list of a study by REST ----------------------------------------------------------------
def lists(patterns: Sequence[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    """The routes of all lists that are a study's."""
    for pattern in patterns:
        route = before + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            yield from lists(pattern.url_patterns, route)
        elif re.fullmatch(r"api/v1/studies/<\w+:slug>/[^<]*", route) and issubclass(
            getattr(pattern.callback, "cls", object), PagedListView
        ):
            yield route


def with_rows(rows: int) -> Study:
    """A study of which there is so much of everything."""
    study = make_study(redundancy=rows, retention_days=30)
    owner = User.objects.create_user(f"owner-{rows}")
    owner.memberships.create(study=study, role=Role.OWNER)
    for number in range(rows):
        complete(study, f"worker-{number}")
        colleague = User.objects.create_user(f"colleague-{rows}-{number}")
        colleague.memberships.create(study=study, role=Role.VIEWER)
        invite(owner, clock.now(), study, Role.VIEWER)
        add_batch(study, None, 1, owner)
        Participant.objects.create(study=study, external_id=f"p{number}")
    Worker.objects.filter(study=study).update(excluded_at=NOON, exclusion_reason="Why not.")
    return study


@pytest.fixture(scope="module")
def one_and_eleven(for_all):
    return with_rows(1), with_rows(11)


@pytest.mark.parametrize("route", list(lists(get_resolver().url_patterns)))
def test_a_list_asks_as_often_for_many_rows_as_for_one(route, one_and_eleven, researcher, settings):
    settings.MODEL_ENDPOINTS = {"ours": "https://models.example/v1"}
    few, many = (
        queries_of(researcher, "/" + re.sub(r"<\w+:slug>", study.slug, route))
        for study in one_and_eleven
    )
    assert few == many
