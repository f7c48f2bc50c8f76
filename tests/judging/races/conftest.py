"""Races are run on rows that are committed, by threads whose connections stay open meanwhile."""

from unittest import mock

import pytest
from django.test import TransactionTestCase

from judging.models import Study
from tests.database import delete_rows, kept_connections
from tests.factory import make_study
from tests.judging.invariants import broken


@pytest.fixture(scope="module", autouse=True)
def _quickly(django_db_setup):
    """Without emptying every table of the site, and without making its permissions anew."""
    emptying = mock.patch.object(TransactionTestCase, "_fixture_teardown", delete_rows)
    with emptying, kept_connections():
        yield


@pytest.fixture(autouse=True)
def _all_is_well_in_the_end(transactional_db):
    yield
    assert broken() == []


@pytest.fixture
def study(transactional_db) -> Study:
    return make_study()
