"""Every list of a study by REST asks the database as often for eleven rows as for one."""

import re
from collections.abc import Iterator, Sequence

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import User
from judging.api.views import PagedListView
from judging.models import Participant, Role, Study, Worker
from judging.studies.conduct.batches import add_batch
from judging.studies.team import invite
from tests.factory import NOON, make_study
from tests.factory.completed import complete
from web import clock

pytestmark = pytest.mark.django_db


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


ROUTES = list(lists(get_resolver().url_patterns))


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
def studies(for_all: None) -> list[Study]:
    return [with_rows(rows) for rows in (1, 11)]


@pytest.mark.parametrize("route", ROUTES)
def test_a_list_asks_as_often_for_many_rows_as_for_one(
    route: str, studies: list[Study], researcher: Client
) -> None:
    counts = []
    for study in studies:
        address = "/" + re.sub(r"<\w+:slug>", study.slug, route)
        researcher.get(address)  # the first use of a token is noted
        with CaptureQueriesContext(connection) as queries:
            answer = researcher.get(address)
        assert answer.status_code == 200, answer.content
        counts.append(len(queries))
    assert counts[0] == counts[1]
