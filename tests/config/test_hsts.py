"""Browsers that were here once come by https alone, for as long as the operator says."""

from pathlib import Path

import pytest

from tests.config.test_secret import load

ASK = """
import django
django.setup()
from django.test import Client
answer = Client().get("/nowhere/", secure=True, headers={"host": "localhost"})
print(answer.status_code, answer.headers.get("Strict-Transport-Security"))
"""
LOOK = "from django.conf import settings as known; print(known.SECURE_HSTS_SECONDS)"
KEY = "k" * 60
YEAR = 365 * 24 * 3600
MOST = {"HSTS_SECONDS": f"{YEAR}", "HSTS_SUBDOMAINS": "on", "HSTS_PRELOAD": "on"}


@pytest.mark.parametrize(
    ("script", "variables", "said"),
    [
        (LOOK, {"HTTPS": "off"}, "0"),
        (LOOK, {"HTTPS": "on"}, "3600"),
        (ASK, {"HTTPS": "on"} | MOST, f"404 max-age={YEAR}; includeSubDomains; preload"),
    ],
)
def test_it_is_said_in_steps(
    tmp_path: Path, script: str, variables: dict[str, str], said: str
) -> None:
    asked = load(tmp_path, script=script, SECRET_KEY=KEY, ALLOWED_HOSTS="localhost", **variables)
    assert asked.stdout.strip() == said, asked.stderr


def test_no_step_comes_before_the_one_that_it_rests_on(tmp_path: Path) -> None:
    asked = load(tmp_path, script=LOOK, SECRET_KEY=KEY, HTTPS="on", HSTS_PRELOAD="on")
    assert "HSTS_PRELOAD=on needs HSTS_SUBDOMAINS=on" in asked.stderr
