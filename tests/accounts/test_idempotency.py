"""Requests that are sent again are done once."""

from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.test import Client
from django.urls import path
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import idempotent
from accounts.models import StoredResponse, User
from accounts.retention import RETENTION, purge_answers
from tests.database import Elsewhere, at_once
from tests.desks import with_token
from web.rest.parameters import WithParameters

begun, may_go_on = Event(), Event()


class Names(WithParameters):
    """Makes users: work that can be counted."""

    @idempotent
    def post(self, request: Request) -> Response:
        user = User.objects.create_user(request.data["name"])
        begun.set()
        if request.data.get("wrong"):
            raise ValidationError({"wrong": ["no"]})
        if request.data.get("broken"):
            raise RuntimeError
        if request.data.get("slow"):
            may_go_on.wait(10)
        return Response({"pk": user.pk, "secret": "rosebud"}, 201, headers={"Location": "/x/"})

    @idempotent
    def put(self, request: Request) -> Response:
        User.objects.create_user("put")
        return Response(status=204)


urlpatterns = [path("api/v1/names/", Names.as_view())]


@pytest.fixture
def client(settings):
    settings.ROOT_URLCONF = __name__
    client = with_token(User.objects.create_user("rita"))
    client.raise_request_exception = False
    return client


def post(client: Client, key: str | None = "k", address: str = "", **sent: object) -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post(
        f"/api/v1/names/{address}", sent, content_type="application/json", headers=headers
    )


@pytest.mark.django_db
def test_the_same_request_gets_the_same_answer(client):
    first, second = (post(client, name="a") for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert second["Content-Type"] == first["Content-Type"]
    assert second["Location"] == "/x/"
    assert "Idempotency-Replayed" not in first
    assert second["Idempotency-Replayed"] == "true"
    assert User.objects.count() == 2
    assert "rosebud" not in str(StoredResponse.objects.values().get())
    for _ in range(2):
        answer = client.put("/api/v1/names/", headers={"Idempotency-Key": "without content"})
        assert (answer.status_code, answer.content) == (204, b"")
    assert User.objects.filter(username="put").count() == 1


@pytest.mark.django_db
def test_a_key_is_of_one_person_and_one_request(client):
    assert post(client, name="a").status_code == 201
    refused = post(client, name="b")
    assert refused.status_code == 422
    assert "was of another request" in refused.json()["detail"]
    assert post(client, "other key", name="b").status_code == 201
    other = with_token(User.objects.create_user("otto"))
    assert post(other, name="c").status_code == 201
    assert StoredResponse.objects.count() == 3
    assert post(client, None, name="d").status_code == 201
    assert StoredResponse.objects.count() == 3, "without a key nothing is stored"


@pytest.mark.django_db
@pytest.mark.parametrize(("fault", "status"), [("wrong", 400), ("broken", 500)])
def test_what_fails_leaves_neither_work_nor_answer(client, fault, status):
    assert post(client, name="a", **{fault: True}).status_code == status
    assert not StoredResponse.objects.exists()
    assert not User.objects.filter(username="a").exists()
    assert post(client, name="a").status_code == 201


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "x" * 201, "é"])
def test_a_key_that_is_none(client, key):
    answer = post(client, key, name="a")
    assert answer.status_code == 400
    assert answer.json()["faults"][0]["parameter"] == "Idempotency-Key"


@pytest.mark.django_db
def test_answers_are_stored_for_a_day(client):
    post(client, name="a")
    now = StoredResponse.objects.get().at
    assert purge_answers(now + RETENTION) == 0
    assert purge_answers(now + RETENTION + timedelta(seconds=1)) == 1


@pytest.mark.django_db(transaction=True)
def test_a_request_in_progress_is_refused(client):
    begun.clear(), may_go_on.clear()

    first = Elsewhere(lambda: post(client, name="a", slow=True).status_code)
    assert begun.wait(10)
    second = post(client, name="a", slow=True)
    may_go_on.set()
    assert first.result() == 201
    assert second.status_code == 409
    assert second["Retry-After"] == "1"
    assert post(client, name="a", slow=True)["Idempotency-Replayed"] == "true"
    assert User.objects.filter(username="a").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_does_the_work(client):
    begun.clear(), may_go_on.set()

    statuses = at_once(*[lambda: post(client, name="a").status_code] * 12)
    assert {*statuses} <= {201, 409}
    assert User.objects.filter(username="a").count() == 1
