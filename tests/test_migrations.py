"""Tables and constraints alone, in one migration an app until 1.0."""

from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection


def test_each_app_has_one_migration() -> None:
    ours = [app for app in apps.get_app_configs() if Path(app.path).parent == settings.BASE_DIR]
    assert len(ours) > 5
    for app in ours:
        assert len(list(Path(app.path).glob("migrations/0*.py"))) <= 1, app.label


@pytest.mark.django_db
def test_the_database_has_no_functions() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
            " UNION SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
        )
        assert cursor.fetchall() == []


@pytest.mark.django_db
def test_staged_rows_are_not_logged_and_rows_that_change_have_room_beside_them() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'")
        assert cursor.fetchall() == [("judging_stageddocument",)]
        cursor.execute("SELECT relname FROM pg_class WHERE reloptions::text LIKE '%fillfactor%'")
        assert ("judging_assignment",) in cursor.fetchall()


@pytest.mark.django_db
def test_packed_lists_are_stored_as_they_are() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname, attstorage::text FROM pg_attribute"
            " WHERE attrelid = 'judging_rankedlist'::regclass"
            " AND attname IN ('codes', 'ranks', 'scores')"
        )
        assert dict(cursor.fetchall()) == dict.fromkeys(("codes", "ranks", "scores"), "e")
