"""Backups by the clock, with a clock and workers of its own: seconds in the place of days."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from operations.backup import manifests
from operations.backup.restoring import validate_file
from operations.backup.stores import Folder
from operations.health.parts.backups import CHECK_LOG
from tests.config.helpers import until
from tests.faults.site import Site, running
from tests.operations.test_dumping import keep

SECONDS = 5  # between two backups
TIMEOUT = 120

pytestmark = [pytest.mark.whole, pytest.mark.django_db]


def backups_status(site: Site) -> dict[str, Any]:
    with urllib.request.urlopen(f"{site.address}/status", timeout=30) as answer:
        return json.load(answer)["parts"]["backups"]


def test_they_are_made_expire_and_are_missed_when_none_is_made(tmp_path: Path, monkeypatch) -> None:
    place = Folder(tmp_path / "store")
    old, young = keep(place, 30.1), keep(place, 29.9)
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "tests.operations.soon")
    monkeypatch.setenv("BACKUP_HOURS", f"{SECONDS / 3600}")
    monkeypatch.setenv("BACKUP_URL", place.root.as_uri())
    with running(tmp_path / "var") as site:
        until(lambda: len(manifests.names(place)) >= 3, TIMEOUT)
        first, *_, newest = (name for name in manifests.names(place) if name > young)
        assert (manifests.moment_of(newest) - manifests.moment_of(first)).seconds >= SECONDS
        validate_file(place, manifests.read(place, newest))
        assert old not in manifests.names(place)
        assert young in manifests.names(place)
        assert not [name for name in place.names("backups") if old in name]
        until(lambda: backups_status(site)["state"] == "ok", TIMEOUT)

        place.root.rename(tmp_path / "away")
        place.root.write_text("no folder")
        log = tmp_path / "var/log/imports.log"
        until(lambda: "No backup was made" in log.read_text(), TIMEOUT)
        # Each web process keeps what it found for some seconds.
        until(lambda: backups_status(site)["state"] == "degraded", TIMEOUT)
        until(lambda: backups_status(site)["mend"] == CHECK_LOG, TIMEOUT)

        place.root.unlink()
        (tmp_path / "away").rename(place.root)
        until(lambda: manifests.names(place)[-1] > newest, TIMEOUT)
        until(lambda: backups_status(site)["state"] == "ok", TIMEOUT)
