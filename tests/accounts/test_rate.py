"""Requests a minute of a token."""

import pytest

from accounts.models import RequestCount, User
from tests.database import at_once
from tests.desks import with_token

ADDRESS = "/api/v1/studies/"


@pytest.mark.django_db
def test_a_token_has_so_many_requests_a_minute(settings):
    settings.REQUESTS_PER_MINUTE = 3
    rita, otto = (User.objects.create_user(name) for name in ("rita", "otto"))
    client = with_token(rita)
    answers = [client.get(ADDRESS) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert [answer["RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0", "0"]
    refused = answers[-1]
    assert refused["Content-Type"] == "application/problem+json"
    assert refused["RateLimit-Limit"] == "3"
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["RateLimit-Reset"] == refused["Retry-After"]
    for other in (with_token(rita, "read"), with_token(otto)):
        assert other.get(ADDRESS).status_code == 200


@pytest.mark.django_db
def test_the_next_minute_begins_anew(settings):
    settings.REQUESTS_PER_MINUTE = 1
    client = with_token(User.objects.create_user("rita"))
    assert [client.get(ADDRESS).status_code for _ in range(2)] == [200, 429]
    RequestCount.objects.update(minute="2020-01-01T00:00Z")
    assert client.get(ADDRESS).status_code == 200
    assert RequestCount.objects.count() == 1


@pytest.mark.django_db
def test_a_person_at_a_browser_is_counted_too_and_a_stranger_is_not(settings, client):
    settings.REQUESTS_PER_MINUTE = 1
    assert [client.get(ADDRESS).status_code for _ in range(2)] == [401, 401]
    assert client.get("/api/schema/").status_code == 200
    client.force_login(User.objects.create_user("rita"))
    assert [client.get(ADDRESS).status_code for _ in range(2)] == [200, 429]


@pytest.mark.django_db(transaction=True)
def test_none_is_lost_among_many_at_once(settings):
    settings.REQUESTS_PER_MINUTE = 10
    client = with_token(User.objects.create_user("rita"))
    client.get(ADDRESS)
    RequestCount.objects.update(requests=0)
    statuses = at_once(*[lambda: client.get(ADDRESS).status_code] * 16)
    assert statuses.count(200) in (10, 16), "16 if a minute began meanwhile"
