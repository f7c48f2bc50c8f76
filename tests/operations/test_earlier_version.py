"""What an earlier version left: its archives open here, and its database is refused in words."""

import lzma
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from judging.models import Assignment, Judgment, Study
from judging.states import LIVE
from tests.database import copied_database
from tests.judging.invariants import broken
from workspace.archive.importing import import_archive

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.mark.django_db
def test_its_archive_opens_with_all_that_was_completed() -> None:
    imported = import_archive(FIXTURES / "demo.zip", by=None)
    study = Study.objects.get(slug="demo")
    assert imported.ended == 2
    completed = study.assignments.completed()
    assert completed.count() == 27
    assert Judgment.objects.filter(assignment__in=completed).count() == 27 * 8
    assert not Judgment.objects.exclude(assignment__in=completed).exists()
    assert not Assignment.objects.filter(state__in=LIVE).exists()
    assert study.topics.filter(revision__gt=0).count() == 4
    assert (study.hints, study.ratios_after_practice) == (False, False)  # its workers saw neither
    assert broken() == []


def test_its_database_is_refused_in_words(transactional_db: None) -> None:
    dump = lzma.decompress((FIXTURES / "database.sql.xz").read_bytes())
    with copied_database() as elsewhere, elsewhere():
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            cursor.execute(dump)
            cursor.execute("SELECT set_config('search_path', 'public', false)")
        with pytest.raises(CommandError) as refusal:
            call_command("migrate", verbosity=0)
        assert "export_archive" in str(refusal.value)
        assert "import_archive" in str(refusal.value)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM judging_judgment")
            assert cursor.fetchone() == (220,)


@pytest.mark.parametrize("name", ["0001_initial", "0001_november_2026"])
@pytest.mark.django_db
def test_so_is_each_whose_tables_had_another_migration(name: str) -> None:
    """The name of an app's only migration changes with its tables, until 1.0."""
    recorder = MigrationRecorder(connection)
    recorder.record_applied("judging", name)
    with pytest.raises(CommandError, match="made by an earlier version"):
        call_command("migrate", verbosity=0)
