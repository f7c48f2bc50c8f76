"""Each thing is broken, and the doctor says so and how to mend it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from operations.doctor import servers, variables
from operations.health.catalogue import Health
from operations.management.commands import doctor
from tests.config import compose
from tests.config.helpers import free_port
from web import clock, static_names
from web.encryption import name_of
from web.findings import Finding
from web.queues import redis

SET_UP = """
import json, django
django.setup()
from operations.doctor import variables
from operations.management.commands import doctor
looks = [look for _, look in doctor.SETUP if look.__module__ == variables.__name__]
assert len(looks) == 5
print(json.dumps([said.sentence for look in looks for said in look() if said.is_wrong]))
"""
LONG = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z"


def only(check: Callable[[], Iterator[Finding]]) -> Finding:
    (found,) = check()
    return found


@pytest.mark.parametrize(
    ("given", "says", "mend"),
    [
        ({"ALLOWED_HOSTS": ["*"]}, "ALLOWED_HOSTS is *", "Set ALLOWED_HOSTS="),
        ({"DEBUG": True}, "DEBUG is on", "Unset DEBUG"),
        (
            {"ALLOWED_HOSTS": ["judge.uni.edu"]},
            "judge.uni.edu is served with HTTPS off",
            "set HTTPS=on.",
        ),
        (
            {"HTTPS": True, "CSRF_TRUSTED_ORIGINS": ["https://judge.uni.edu"]},
            "has no name that others can reach",
            "Set ALLOWED_HOSTS=",
        ),
        (
            {
                "HTTPS": True,
                "ALLOWED_HOSTS": ["judge.uni.edu"],
                "CSRF_TRUSTED_ORIGINS": ["http://judge.uni.edu"],
            },
            "has http://judge.uni.edu",
            "Write it as https://judge.uni.edu",
        ),
    ],
)
def test_who_reaches_it_and_how(given: dict[str, Any], says: str, mend: str, settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    assert list(variables.variables()) == []
    for name, value in given.items():
        setattr(settings, name, value)
    found = only(variables.variables)
    assert says in found.sentence
    assert mend in found.mend


@pytest.mark.parametrize("key", ["short", "a" * 60, f"django-insecure-{LONG}"])
def test_a_key_that_can_be_guessed(key: str, settings, tmp_path: Path) -> None:
    settings.VAR_DIR, settings.SECRET_KEY = tmp_path, LONG
    assert list(variables.secrets()) == []
    settings.SECRET_KEY = key
    assert "openssl rand -hex 32" in only(variables.secrets).mend


def test_a_key_that_others_can_read(settings, tmp_path: Path) -> None:
    settings.VAR_DIR, settings.SECRET_KEY = tmp_path, LONG
    kept = tmp_path / "secret-key"
    kept.touch(mode=0o600)
    assert list(variables.secrets()) == []
    kept.chmod(0o644)
    assert only(variables.secrets).mend == f"chmod 600 {kept}"


def test_keys_that_the_next_release_would_not_find(settings, monkeypatch, tmp_path: Path) -> None:
    settings.SECRET_KEY, settings.BASE_DIR, settings.VAR_DIR = LONG, tmp_path, tmp_path / "var"
    monkeypatch.setenv("SECRET_KEY", LONG)
    settings.DATABASE_URL = ""
    assert list(variables.secrets()) == []
    settings.DATABASE_URL = "postgres://elsewhere/magnitudes"
    found = only(variables.secrets)
    assert found.sentence.startswith("ENCRYPTION_KEY of this site: kept in")
    assert "set VAR_DIR" in found.mend
    settings.BASE_DIR = tmp_path / "code"
    assert list(variables.secrets()) == []
    settings.BASE_DIR = tmp_path
    monkeypatch.setenv("ENCRYPTION_KEY", LONG)
    assert list(variables.secrets()) == []


def test_keys_that_are_in_no_backup_are_listed(settings, monkeypatch) -> None:
    settings.SECRET_KEY, settings.BACKUP_KEY = LONG, "age1one,age1two"
    monkeypatch.setenv("ENCRYPTION_KEY_FILE", "/run/secrets/encryption_key")
    found = only(variables.unsaved_keys)
    assert found.state == "ok"
    assert f"SECRET_KEY {name_of(LONG)} (" in found.sentence
    assert "(/run/secrets/encryption_key)" in found.sentence
    assert "the secret half of age1one, the secret half of age1two." in found.sentence
    assert LONG not in found.sentence


def test_static_files_that_were_not_collected(settings, tmp_path: Path) -> None:
    """Neither never, nor from the files of another release."""
    settings.STATIC_ROOT, settings.HTTPS = tmp_path, True
    found = only(variables.static_files)
    assert found.state == "ok"
    assert "collectstatic" in found.sentence
    made_of = tmp_path / static_names.SOURCES_HASH
    made_of.write_text("other files")
    assert "collectstatic" in only(variables.static_files).sentence
    made_of.write_text(static_names._sources())
    settings.STATIC_ROOT = str(tmp_path)  # a storage looks once: this is another
    assert list(variables.static_files()) == []
    settings.STATIC_ROOT, settings.HTTPS = tmp_path / "nothing", False
    assert list(variables.static_files()) == []


def of_containers(folder: Path) -> dict[str, str]:
    """The variables of a web process where .env says what docs/operations/deployment.md does."""
    for name, secret in compose.SECRETS.items():
        (folder / name).write_text(secret)
    given = compose.read({"SITE": "judgments.example.org"})["web"].environment
    return {name: value.replace(compose.MOUNTED, f"{folder}/") for name, value in given.items()}


def of_one_machine(folder: Path) -> dict[str, str]:
    """Those that the commands for one Debian machine give `make run`."""
    page = (compose.ROOT / "docs/operations/deployment.md").read_text()
    typed = re.search(r"^((?:\w+=\S+ )+)make run &$", page, re.MULTILINE)
    assert typed
    return dict(word.split("=", 1) for word in typed[1].split())


@pytest.mark.parametrize("variables_of", [of_containers, of_one_machine])
def test_nothing_is_wrong_with_what_the_pages_have_one_set(
    variables_of: Callable[[Path], dict[str, str]], tmp_path: Path
) -> None:
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "PATH": os.environ["PATH"]}
    environment |= variables_of(tmp_path) | {"VAR_DIR": str(tmp_path / "var")}
    asked = [sys.executable, "-c", SET_UP]
    run = subprocess.run(asked, cwd=compose.ROOT, env=environment, capture_output=True, check=True)
    assert json.loads(run.stdout) == []


def test_a_mail_server_that_does_not_answer(settings) -> None:
    assert list(variables.mail()) == []
    settings.EMAIL_URL = "smtp://127.0.0.1"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    assert "ConnectionRefusedError" in only(variables.mail).sentence


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("SET synchronous_commit = off", "loses judgments"),
        ("SET log_error_verbosity = 'default'", "what people wrote"),
        ("SET log_min_error_statement = error", "what people wrote"),
        ("SET log_statement = 'all'", "what people wrote"),
    ],
)
@pytest.mark.django_db
def test_settings_of_postgresql(statement: str, says: str) -> None:
    """Within a transaction that is taken back, and they with it."""
    assert list(servers.postgres()) == []
    with connection.cursor() as cursor:
        cursor.execute(statement)
    found = only(servers.postgres)
    assert says in found.sentence
    assert found.mend.startswith("ALTER SYSTEM SET ")


@pytest.mark.django_db
def test_a_version_of_postgresql_that_was_not_tried(monkeypatch) -> None:
    monkeypatch.setattr(servers, "POSTGRES", range(1, 3))
    assert "tried are 1 to 2" in only(servers.postgres).sentence


@pytest.mark.django_db
def test_tables_of_another_version() -> None:
    assert list(servers.tables()) == []
    MigrationRecorder(connection).record_unapplied("accounts", "0001_winter_2026")
    found = only(servers.tables)
    assert found.mend == "manage.py migrate"
    assert "accounts 0001_winter_2026" in found.sentence
    MigrationRecorder(connection).record_applied("accounts", "0001_winter_2026")
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE cache")
    assert "createcachetable" in only(servers.tables).mend


def test_a_redis_that_throws_tasks_away() -> None:
    assert list(servers.queue()) == []
    with redis() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        assert "noeviction" in only(servers.queue).mend
    finally:
        with redis() as client:
            client.config_set("maxmemory-policy", "noeviction")


def test_a_redis_that_is_old(monkeypatch) -> None:
    monkeypatch.setattr(servers, "MIN_REDIS", 1_000)
    found = only(servers.queue)
    assert "tried are 1000 and newer" in found.sentence
    assert found.mend == "Install a newer one."


@pytest.mark.django_db
def test_clocks_that_differ(monkeypatch, capsys) -> None:
    """The parts that `/status` tells of are told by the doctor as well."""
    ahead = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(doctor, "SETUP", ())
    monkeypatch.setattr(clock, "now", lambda: ahead)
    with pytest.raises(SystemExit):
        call_command("doctor")
    said = capsys.readouterr().out
    assert re.search(r"CHECK +clock: This machine's clock is 1\d\d s behind PostgreSQL's", said)
    assert "chrony" in said


def test_it_exits_with_1_where_anything_is_wrong(monkeypatch, settings, capsys) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    monkeypatch.setattr(doctor, "SETUP", doctor.SETUP[:1])
    monkeypatch.setattr(doctor, "run_checks", lambda: Health([], datetime.now(UTC), 0.0))
    with pytest.raises(SystemExit) as ended:
        call_command("doctor")
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert "WRONG  variables: ALLOWED_HOSTS is *" in said
    assert said.endswith("1 thing to mend.\n")
    settings.ALLOWED_HOSTS = ["localhost"]
    call_command("doctor")
    assert capsys.readouterr().out == "well   variables: Nothing is wrong.\nAll is well.\n"
