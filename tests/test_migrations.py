"""Tables and constraints alone, and releases that only expand them."""

import tomllib
from hashlib import sha256
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django_migration_linter import MigrationLinter
from packaging.version import Version

OURS = ("accounts", "evaluation", "judging", "operations", "workspace")
RELEASED = Path(__file__).with_name("released_migrations.txt")


@pytest.mark.django_db
def test_the_database_has_no_functions() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
            " UNION SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
        )
        assert cursor.fetchall() == []


@pytest.mark.django_db
def test_packed_lists_are_stored_as_they_are() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname, attstorage::text FROM pg_attribute"
            " WHERE attrelid = 'judging_rankedlist'::regclass"
            " AND attname IN ('codes', 'ranks', 'scores')"
        )
        assert dict(cursor.fetchall()) == dict.fromkeys(("codes", "ranks", "scores"), "e")


def released() -> dict[str, tuple[str, str]]:
    """By the path of each migration that a release has: that release, and the file's digest."""
    lines = [line.split() for line in RELEASED.read_text().splitlines()]
    return {path: (release, digest) for release, path, digest in lines}


def test_no_released_migration_has_changed() -> None:
    for path, (release, digest) in released().items():
        text = (settings.BASE_DIR / path).read_bytes()
        assert sha256(text).hexdigest() == digest, (
            f"{path} is in {release}, which runs somewhere: write another migration"
        )


def test_what_is_worked_on_is_a_later_version_than_every_release() -> None:
    """Its image is another, which leaves the way back; and its backups say what made them."""
    file = (settings.BASE_DIR / "pyproject.toml").read_text()
    version = Version(tomllib.loads(file)["project"]["version"])
    for release, _ in released().values():
        assert version > Version(release), "raise it after a release"


@pytest.mark.django_db
@pytest.mark.parametrize("app", OURS)
def test_a_new_migration_only_expands(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The processes of the release before go on beside the new ones, and nobody waits for a lock.

    What a release no longer needs, the next one drops: it leaves the checks of that migration by
    IgnoreMigration, and says there since which release nothing reads what is dropped.
    """
    linter = MigrationLinter(
        include_apps=[app],
        ignore_name=[Path(path).stem for path in released() if path.startswith(f"{app}/")],
        all_warnings_as_errors=True,
        no_cache=True,
        analyser_string="postgresql",
    )
    linter.lint_all_migrations()
    assert not linter.has_errors, capsys.readouterr().out
