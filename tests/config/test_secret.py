"""Secrets: whence they come, and that what is wrong with them is said at once."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .helpers import ROOT, environment

LOAD = "from django.conf import settings; print(settings.SECRET_KEY)"
LOAD_ALL = """
import json
from django.conf import settings as known
database = known.DATABASES["default"]
print(json.dumps([known.SECRET_KEY, known.SECRET_KEY_FALLBACKS, database["PASSWORD"],
    database["HOST"], known.CELERY_BROKER_URL, known.EMAIL_HOST_PASSWORD,
    known.ENCRYPTION_KEYS, known.STATUS_TOKEN, known.ERRORS_DSN,
    known.ADMIN_PASSWORD, known.HEARTBEAT_URL, known.BACKUP_KEY, known.BACKUP_DATABASE["HOST"],
    known.AWS_SECRET_ACCESS_KEY, known.OIDC_CLIENT_SECRET]))
"""
# A `$` at the beginning of a value is the name of a variable to django-environ.
ODD = "$HOME 'a\"b:@/?#%41\\ü\t "
SECRETS = {
    "SECRET_KEY": f"{ODD}key",
    "SECRET_KEY_FALLBACKS": "$old\nolder",
    "DATABASE_URL": "postgres://me@there:5432/site",
    "DATABASE_PASSWORD": ODD,
    "ADMIN_PASSWORD": f"{ODD}admin",
    "REDIS_URL": "redis://:p@there:6379/0",
    "EMAIL_URL": "smtp+tls://me:p%40ss@there:587",
    "ENCRYPTION_KEY": f"{ODD}id\nolder id",
    "STATUS_TOKEN": "$status",
    "ERRORS_DSN": "$errors",
    "HEARTBEAT_URL": "https://there/$beat",
    "BACKUP_KEY": "age1,age2",
    "BACKUP_DATABASE_URL": "postgres://me@behind:5432/site",
    "AWS_SECRET_ACCESS_KEY": ODD,
    "OIDC_CLIENT_SECRET": f"{ODD}oidc",
}


def load(var_dir: Path, script: str = LOAD, **variables: str) -> subprocess.CompletedProcess[str]:
    given = environment(var_dir, DJANGO_SETTINGS_MODULE="config.settings") | variables
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=given,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first, second = load(tmp_path, SECRET_KEY=""), load(tmp_path, SECRET_KEY="", HTTPS="on")
    assert len(first.stdout.strip()) >= 50
    assert first.stdout == second.stdout
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret-key").touch()
    loaded = load(tmp_path, SECRET_KEY="")
    assert loaded.returncode
    assert "secret-key is empty. Restore it from a backup" in loaded.stderr


@pytest.mark.parametrize(("https", "told"), [("on", True), ("off", False)])
def test_a_short_one_is_refused_where_others_reach_the_site(
    tmp_path: Path, https: str, told: bool
) -> None:
    loaded = load(tmp_path, SECRET_KEY="short", HTTPS=https)
    assert bool(loaded.returncode) is told
    assert ("SECRET_KEY has 5 characters" in loaded.stderr) is told


def in_files(folder: Path) -> dict[str, str]:
    """Variables that name files with the secrets, as an editor leaves them."""
    for name, value in SECRETS.items():
        (folder / name).write_text(f"{value}\n", encoding="utf-8")
    return dict.fromkeys(SECRETS, "") | {f"{name}_FILE": str(folder / name) for name in SECRETS}


def test_each_may_come_from_a_file_with_any_character(tmp_path: Path) -> None:
    expected = [f"{ODD}key", ["$old", "older"], ODD, "there", "redis://:p@there:6379/0", "p@ss"]
    expected += [[f"{ODD}id", "older id"], "$status", "$errors"]
    expected += [f"{ODD}admin", "https://there/$beat", "age1,age2", "behind", ODD, f"{ODD}oidc"]
    both = {"EMAIL_FROM": "me@example.org"}
    for given in (in_files(tmp_path), SECRETS):
        loaded = load(tmp_path, LOAD_ALL, **given, **both)
        assert not loaded.stderr
        assert json.loads(loaded.stdout) == expected


def test_the_pages_list_every_secret() -> None:
    said = (ROOT / "config/settings.py").read_text()
    read = set(re.findall(r'env\.secrets?\("(\w+)"\)', said))
    page = (ROOT / "docs/operations.md").read_text()
    listed = re.search(r"That holds for (.*?)\. Both set", page, re.DOTALL)
    assert listed
    assert set(re.findall(r"`(\w+)`", listed[1])) == read == SECRETS.keys()


def test_a_variable_and_a_file_are_one_too_many(tmp_path: Path) -> None:
    given = in_files(tmp_path) | {"REDIS_URL": "redis://hidden:6379/0"}
    loaded = load(tmp_path, **given)
    assert loaded.returncode
    assert "REDIS_URL and REDIS_URL_FILE are both set." in loaded.stderr
    assert "hidden" not in loaded.stderr


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("folder", "cannot be read (Is a directory)"),
        (b" \n", "is empty"),
        (b"\xff\xfe", "is not text in UTF-8"),
    ],
)
def test_a_file_without_a_secret_is_refused(
    tmp_path: Path, content: bytes | str | None, fault: str
) -> None:
    path = tmp_path / "the-key"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    loaded = load(tmp_path, SECRET_KEY="", SECRET_KEY_FILE=str(path))
    assert loaded.returncode
    assert f"SECRET_KEY_FILE names {path}, which {fault}. Write the secret" in loaded.stderr
