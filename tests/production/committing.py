"""A plugin of pytest: each test behind PgBouncer commits, and then leaves nothing in a session.

A test that is rolled back is one transaction, in one session, and its settings go with it. With
`-p tests.production.committing` every statement may go to another session, as it does on a site.
"""

from collections.abc import Iterator
from unittest import mock

import pytest
from django.test import TransactionTestCase

from tests import database
from tests.config.sessions import held_in_sessions, sessions_there

database.COMMITTED = True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session", autouse=True)
def _held_at_first(
    django_db_setup: None, django_db_blocker: object
) -> Iterator[dict[str, set[str]]]:
    emptying = mock.patch.object(TransactionTestCase, "_fixture_teardown", database.delete_rows)
    with emptying, django_db_blocker.unblock():  # type: ignore[attr-defined]
        assert sessions_there() == 4, "sessions take turns"
        yield held_in_sessions()


@pytest.fixture(scope="module", autouse=True)
def _nothing_left(_held_at_first: dict[str, set[str]], django_db_blocker: object) -> Iterator[None]:
    yield
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        assert held_in_sessions() == _held_at_first
