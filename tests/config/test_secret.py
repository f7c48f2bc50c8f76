"""The secret key: what is wrong with it is said at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from .helpers import ROOT, environment

LOAD = "from django.conf import settings; print(settings.SECRET_KEY)"


def load(var_dir: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Load the settings in a process of its own."""
    given = environment(var_dir, DJANGO_SETTINGS_MODULE="config.settings") | variables
    return subprocess.run(
        [sys.executable, "-c", LOAD],
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


def test_an_empty_file_is_told(tmp_path: Path) -> None:
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
