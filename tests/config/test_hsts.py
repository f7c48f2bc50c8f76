"""Browsers that were here once come by https alone, for as long as the operator says."""

from pathlib import Path

import pytest

from tests.config.test_secret import load

ASK = """
import django
django.setup()
from django.conf import settings
from django.test import Client
answer = Client().get("/nowhere/", secure=True, headers={"host": "localhost"})
print(answer.status_code, answer.headers.get("Strict-Transport-Security"))
"""
KEY = "k" * 60
YEAR = str(365 * 24 * 3600)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"HTTPS": "off"}, "None"),
        ({"HTTPS": "on"}, "max-age=3600"),
        (
            {"HTTPS": "on", "HSTS_SECONDS": YEAR, "HSTS_SUBDOMAINS": "on", "HSTS_PRELOAD": "on"},
            f"max-age={YEAR}; includeSubDomains; preload",
        ),
    ],
)
def test_it_is_said_in_steps(tmp_path: Path, variables: dict[str, str], said: str) -> None:
    asked = load(tmp_path, script=ASK, SECRET_KEY=KEY, ALLOWED_HOSTS="localhost", **variables)
    assert asked.stdout.strip() == f"404 {said}", asked.stderr


def test_no_step_comes_before_the_one_that_it_rests_on(tmp_path: Path) -> None:
    asked = load(tmp_path, script=ASK, SECRET_KEY=KEY, HTTPS="on", HSTS_PRELOAD="on")
    assert "HSTS_PRELOAD=on needs HSTS_SUBDOMAINS=on" in asked.stderr
