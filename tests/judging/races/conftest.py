"""Races are run on rows that are committed, by threads whose connections stay open meanwhile."""

from unittest import mock

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import TransactionTestCase

from judging.models import Study
from tests.database import kept_connections
from tests.factory import make_study
from tests.judging.invariants import broken


def delete_rows(_case: TransactionTestCase | None = None) -> None:
    """Delete what races write; references are looked at when all are gone."""
    with transaction.atomic(), connection.cursor() as cursor:
        for model in apps.get_app_config("judging").get_models(include_auto_created=True):
            cursor.execute(f'DELETE FROM "{model._meta.db_table}"')


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
