"""Who asks: a researcher, somebody without the right, a stranger."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from rest_framework.authtoken.models import Token

from judging.models import Study
from tests.database import there_for_all
from tests.factory.completed import busy_study

Get = Callable[..., Any]


def client_of(username: str, **rights: bool) -> Client:
    """A client with the token of a new user."""
    user = get_user_model().objects.create_user(username, **rights)
    token = Token.objects.create(user=user)
    return Client(headers={"Authorization": f"Token {token.key}"})


@pytest.fixture
def researcher(db: None) -> Client:
    return client_of("rosa", is_staff=True)


@pytest.fixture
def outsider(db: None) -> Client:
    """Has an account and a token, and is not of the staff."""
    return client_of("otto")


@pytest.fixture
def stranger(db: None) -> Client:
    return Client()


@pytest.fixture
def at_desk(db: None) -> Client:
    """A researcher, logged in with a browser."""
    client = Client()
    client.force_login(get_user_model().objects.create_user("rita", is_staff=True))
    return client


@pytest.fixture(scope="module")
def for_all(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """What is made on top of this is there for all tests of a module."""
    with there_for_all(django_db_blocker):
        yield


@pytest.fixture(scope="module")
def study(for_all: None) -> Study:
    return busy_study()


@pytest.fixture
def get(researcher: Client, study: Study) -> Get:
    """The JSON at an address below the study's."""

    def fetch(path: str, **parameters: object) -> Any:
        response = researcher.get(f"/api/v1/studies/{study.slug}/{path}", parameters)
        assert response.status_code == 200, response.content
        return response.json()

    return fetch
