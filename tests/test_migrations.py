"""Rules are in Python: the database has tables and constraints, and no functions of ours."""

import pytest
from django.db import connection


@pytest.mark.django_db
def test_the_database_has_no_functions():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
            " UNION SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
        )
        assert cursor.fetchall() == []


@pytest.mark.django_db
def test_packed_lists_are_stored_as_they_are():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname, attstorage::text FROM pg_attribute"
            " WHERE attrelid = 'judging_rankedlist'::regclass"
            " AND attname IN ('codes', 'ranks', 'scores')"
        )
        assert dict(cursor.fetchall()) == dict.fromkeys(("codes", "ranks", "scores"), "e")
