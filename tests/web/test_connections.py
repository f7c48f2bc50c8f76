"""Connections are asked whether they live once a second, not in every request."""

import pytest
from django.core.signals import request_finished, request_started
from django.db import InterfaceError
from django.db import connections as django_connections

from web.database import connections
from web.middleware.policy import HEADER, POLICY, as_text


@pytest.fixture
def requests(transactional_db, monkeypatch):
    """Answer requests that ask for one row, as a web process does; how many asked for life."""
    wrapper = django_connections["default"]
    wrapper.ensure_connection()
    monkeypatch.setattr(wrapper, "health_check_enabled", True)
    monkeypatch.setattr(connections, "_thread", connections._Thread())
    # Django's test client has put Django's receiver behind ours.
    request_started.disconnect(connections.trust_what_was_just_checked)
    request_started.connect(connections.trust_what_was_just_checked)
    asked: list[bool] = []
    is_usable = wrapper.is_usable
    monkeypatch.setattr(wrapper, "is_usable", lambda: asked.append(True) or is_usable())

    def answer(count: int = 1) -> int:
        asked.clear()
        for _ in range(count):
            request_started.send(None)
            with wrapper.cursor() as cursor:
                cursor.execute("SELECT 1")
            request_finished.send(None)
        return len(asked)

    return answer


def test_one_request_of_many_asks(requests):
    assert requests(20) == 1


def test_each_asks_after_a_second(requests, monkeypatch):
    requests()
    monkeypatch.setattr(connections, "MOMENT", 0)
    assert requests(3) == 3


def test_a_connection_that_was_lost_a_moment_ago_fails_once(requests):
    requests(2)
    django_connections["default"].connection.close()  # as if PostgreSQL had ended it
    with pytest.raises(InterfaceError):
        requests()
    request_finished.send(None)
    assert requests(3) <= 1


def test_every_page_has_the_policy(client, db):
    assert client.get("/login/").headers[HEADER] == as_text(POLICY)
    docs = client.get("/api/docs/").headers[HEADER]
    assert "style-src 'self' 'unsafe-inline'" in docs
    assert "script-src 'self';" in docs
