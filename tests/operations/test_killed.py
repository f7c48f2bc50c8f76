"""A backup or a restore that is killed: nothing half is listed, and it can be begun again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from judging.models import Study
from operations.backup import manifests
from operations.backup.faults import BackupFault
from operations.backup.restoring import restore
from operations.backup.stores import Folder
from tests.operations.conftest import Saved, rankings

pytestmark = pytest.mark.django_db
CALL = """
import django
from pathlib import Path
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = {name!r}
from operations.backup import {module}
from operations.backup.stores import Folder
{code}
"""


def call(module: str, code: str) -> subprocess.Popen[bytes]:
    """A process of its own on the database that the test is in."""
    source = CALL.format(name=connection.settings_dict["NAME"], module=module, code=code)
    return subprocess.Popen(
        [sys.executable, "-c", source],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        cwd=settings.BASE_DIR,
        start_new_session=True,
    )


def kill_once(process: subprocess.Popen[bytes], has_begun) -> None:
    """Kill it, and what it has started, as soon as it has begun."""
    until = time.monotonic() + 60
    while not has_begun():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < until
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def begin_again(saved: Saved) -> None:
    """Restore, as soon as PostgreSQL has noticed that those who were killed are gone."""
    until = time.monotonic() + 60
    while True:
        try:
            return restore(saved.place, "newest", saved.keys, lambda step: None)
        except BackupFault as fault:
            if "connected" not in str(fault) or time.monotonic() > until:
                raise
            time.sleep(0.1)


def test_a_backup_that_is_killed_is_not_listed(saved: Saved, empty, tmp_path: Path) -> None:
    restore(saved.place, "newest", saved.keys, lambda step: None)
    place = Folder(tmp_path / "store")
    process = call(
        "making", f"making.make(Folder(__import__('pathlib').Path({str(place.root)!r})))"
    )
    kill_once(process, lambda: any(place.root.glob("backups/*")))
    assert manifests.names(place) == []


def test_a_restore_that_is_killed_while_it_fills_is_begun_again(
    saved: Saved, empty, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("\n".join(str(key) for key in saved.keys))
    code = f"""
def tell(step):
    if step.startswith("filling"):
        Path({str(tmp_path / "fills")!r}).touch()
restoring.restore(
    Folder(Path({str(saved.place.root)!r})), "newest",
    restoring.key_file({str(tmp_path / "key")!r}), tell,
)
"""
    connection.close()
    process = call("restoring", code)
    kill_once(process, (tmp_path / "fills").exists)
    begin_again(saved)
    assert rankings() == saved.rankings
    assert Study.objects.exists()
