"""Who asks: a researcher, somebody without the right, a stranger."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from judging.models import Study
from tests.database import there_for_all
from tests.desks import admin_at_desk, with_token
from tests.factory.completed import busy_study

Get = Callable[..., Any]


def client_of(username: str, **rights: bool) -> Client:
    """A client with the token of a new user."""
    return with_token(User.objects.create_user(username, **rights))


@cache
def description() -> Any:
    """The site's OpenAPI description of itself, made once: it says nothing of data."""
    response = Client().get("/api/schema/?format=json")
    assert response.status_code == 200
    return response.json()


@pytest.fixture
def researcher(db):
    return client_of("rosa", is_superuser=True)


@pytest.fixture
def outsider(db):
    """Has an account and a token, and is in no team."""
    return client_of("otto")


@pytest.fixture
def stranger(db):
    return Client()


@pytest.fixture
def at_desk(db):
    """A researcher, logged in with a browser."""
    return admin_at_desk()


@pytest.fixture(scope="module")
def for_all(django_db_setup, django_db_blocker) -> Iterator[None]:
    """What is made on top of this is there for all tests of a module."""
    with there_for_all(django_db_blocker):
        yield


@pytest.fixture(scope="module")
def study(for_all):
    return busy_study()


@pytest.fixture
def get(researcher: Client, study: Study) -> Get:
    """The JSON at an address below the study's."""

    def fetch(path: str, **parameters: object) -> Any:
        response = researcher.get(f"/api/v1/studies/{study.slug}/{path}", parameters)
        assert response.status_code == 200, response.content
        return response.json()

    return fetch
