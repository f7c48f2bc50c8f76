"""What is in the image, and what is not."""

import re
import subprocess
import sys
from pathlib import Path

from . import compose
from .compose import ROOT


def test_secrets_and_embedded_servers_are_not_in_the_image(tmp_path: Path) -> None:
    source, image = tmp_path / "source", tmp_path / "image"
    for name in (
        ".env",
        "secrets/secret_key",
        "manage.py",
        "config/wsgi.py",
        "embedded/server.py",
        "var/secret",
    ):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).touch()
    compose.copy_image(source, image)
    found = {str(path.relative_to(image)) for path in image.rglob("*") if path.is_file()}
    assert found == {"manage.py", "config/wsgi.py"}


def test_no_secret_is_made_when_the_image_is_built(tmp_path: Path) -> None:
    said = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
    run = re.search(r"&& ((?:\w+=\S+ +)+)python manage.py collectstatic", said)
    assert run
    given = dict(word.split("=", 1) for word in run[1].split())
    subprocess.run(
        [sys.executable, "-c", "from django.conf import settings; settings.DATABASES"],
        cwd=ROOT,
        env={"DJANGO_SETTINGS_MODULE": "config.settings", "VAR_DIR": str(tmp_path)} | given,
        check=True,
    )
    assert list(tmp_path.iterdir()) == []


def test_what_runs_in_the_image_is_not_root() -> None:
    said = (ROOT / "Dockerfile").read_text().splitlines()
    users = [place for place, line in enumerate(said) if line.startswith("USER ")]
    assert [said[place] for place in users] == ["USER magnitudes"]
    assert not any(line.startswith(("RUN", "COPY")) for line in said[users[0] :])
    assert not any("user" in each for each in compose.services(compose.GIVEN).values())


def test_secrets_are_not_in_the_repository() -> None:
    asked = ["git", "check-ignore", ".env", "secrets/secret_key", "var/secret-key"]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.stdout.split() == asked[2:]


def test_the_image_installs_no_embedded_server() -> None:
    """tests/config/test_requirements.py holds that list together with the others."""
    said = (ROOT / "Dockerfile").read_text()
    assert set(re.findall(r"requirements[\w-]*\.\w+", said)) == {"requirements-image.txt"}
    assert "--require-hashes" in said
