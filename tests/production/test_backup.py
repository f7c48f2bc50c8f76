"""Backups and the way back on servers as operators have them, from the oldest to the newest."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
import pytest

from tests.config.compose import ROOT
from tests.operations.databases import COMPUTED, ROWS, TABLES
from tests.production.servers import POSTGRES, START_SECONDS, Postgres, free_ports, postgres

LEFT_OUT = ("django_session", "cache")
TAKE_BACK = """
from judging.flow.ending import withdraw
from judging.models import Assignment
from judging.states import Actor
from web import clock
taken = Assignment.objects.completed().order_by("pk")[0]
withdraw(taken.completion_code, clock.now(), Actor.WORKER)
print(taken.pk)
"""
LOOK = """
from judging.models import Study
from tests.factory.researched import look_into
look_into(Study.objects.get(slug="demo"))
"""
RANKED = """
SELECT measure, means, ranks FROM evaluation_ranking WHERE evaluation_id IN (
    SELECT id FROM evaluation_evaluation
    WHERE study_id = (SELECT id FROM judging_study WHERE slug = 'demo')
) ORDER BY measure
"""
WRITE = "from operations.record.tasks import write_all; write_all()"
SHELL = ("shell", "--no-imports", "--command")


class Site:
    """The application's commands on one server."""

    def __init__(self, server: Postgres, folder: Path) -> None:
        self.server, self.folder = server, folder

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        known = {
            "DATABASE_URL": self.server.url,
            "REDIS_URL": "redis://127.0.0.1:1/0",
            "VAR_DIR": str(self.folder / "var"),
            "BACKUP_URL": (self.folder / "store").as_uri(),
        }
        return subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=os.environ | known | variables,
            capture_output=True,
            text=True,
            check=False,
        )

    def manage(self, *words: str) -> str:
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def fill(self) -> None:
        self.manage("migrate", "--verbosity", "0")
        self.manage("load_demo")
        self.manage("recompute", "demo")
        self.manage(*SHELL, LOOK)

    def query(self, statement: str) -> list[tuple]:
        with psycopg2.connect(self.server.url) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def content(self) -> dict[str, str]:
        """What each table holds, but for what is computed anew."""
        tables = [name for (name,) in self.query(TABLES)]
        return {
            table: self.query(ROWS.format(table=table))[0][0]
            for table in tables
            if table not in COMPUTED.union(LEFT_OUT)
        }


@pytest.mark.parametrize(("old", "new"), [("15", "15"), ("15", "18"), ("18", "18")])
def test_a_site_comes_back_on_the_same_release_and_on_a_newer(
    old: str, new: str, tmp_path: Path
) -> None:
    with postgres(tmp_path / "old", old) as server:
        site = Site(server, tmp_path)
        site.fill()
        name = site.manage("backup")
        before = site.content()
        ranked = site.query(RANKED)
    with postgres(tmp_path / "new", new) as server:
        back = Site(server, tmp_path)
        assert back.manage("restore", name) == "restored: the site may start"
        after = back.content()
        differ = {table for table in before | after if before.get(table) != after.get(table)}
        assert differ <= {"judging_tick"}  # that a backup was made is noted after it
        assert ranked == back.query(RANKED)
        assert "is not empty" in back.run("restore", name).stderr


def test_an_older_release_is_refused(tmp_path: Path) -> None:
    with postgres(tmp_path / "new", "18") as server:
        Site(server, tmp_path).manage("migrate", "--verbosity", "0")
        Site(server, tmp_path).manage("backup")
    with postgres(tmp_path / "old", "15") as server:
        refused = Site(server, tmp_path).run("restore", "newest")
        assert refused.returncode == 1
        assert "restore it into version 18 or newer" in refused.stderr


@contextmanager
def small_disk(folder: Path, kib: int) -> Iterator[Path]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, check=False).returncode:
        pytest.skip("may not mount a disk here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with postgres(tmp_path / "server") as server, small_disk(tmp_path / "disk", 64) as disk:
        site = Site(server, tmp_path)
        site.manage("migrate", "--verbosity", "0")
        failed = site.run("backup", BACKUP_URL=disk.as_uri())
        assert failed.returncode == 1
        assert "No space left on device" in failed.stderr
        assert not [path for path in disk.rglob("*") if path.is_file()]


class Archiving(POSTGRES["15"]):
    """Keeps every change in an archive; or comes back from it, where a moment is named."""

    archive: Path
    moment = ""

    def command(self, program: Path) -> list[str]:
        kept = ["-c", "archive_mode=on", "-c", f"archive_command=cp %p {self.archive}/%f"]
        if self.moment:
            kept = [
                *("-c", f"restore_command=cp {self.archive}/%f %p"),
                *("-c", f"recovery_target_time={self.moment}"),
                *("-c", "recovery_target_action=promote"),
            ]
        return [*super().command(program), *kept]


@contextmanager
def archiving(folder: Path, archive: Path, moment: str = "") -> Iterator[Archiving]:
    folder.mkdir(exist_ok=True)
    with postgres(folder.parent / f"{folder.name}-unused") as usual:
        service = usual.service
    server = Archiving(service, folder, free_ports(1)[0])
    server.archive, server.moment = archive, moment
    try:
        server.ensure(START_SECONDS)
        yield server
    finally:
        server.stop()


def test_a_moment_between_two_backups_comes_back(tmp_path: Path) -> None:
    """As docs/operations/backups.md says: a base, an archive, a moment; then the record."""
    tmp_path.chmod(0o777)
    archive = tmp_path / "archive"
    archive.mkdir()
    archive.chmod(0o777)
    base = tmp_path / "again"
    base.mkdir()
    with archiving(tmp_path / "first", archive) as server:
        site = Site(server, tmp_path)
        site.fill()
        program = server.programs / "pg_basebackup"
        subprocess.run(
            [program, "-d", server.url, "-D", base / server.name, "-X", "none"], check=True
        )
        site.query("UPDATE judging_study SET title = 'After the base'")
        (moment,) = site.query("SELECT clock_timestamp()::text")[0]
        time.sleep(0.5)
        taken = site.manage(*SHELL, TAKE_BACK)
        site.manage(*SHELL, WRITE)
        site.query("UPDATE judging_study SET title = 'Spoiled'")
        site.query("SELECT pg_switch_wal()")
    (base / server.name / "recovery.signal").touch()
    subprocess.run(
        ["chown", "-R", "--reference", tmp_path / "first" / server.name, base], check=True
    )
    with archiving(base, archive, moment) as server:
        back = Site(server, tmp_path)
        assert back.query("SELECT DISTINCT title FROM judging_study") == [("After the base",)]
        answers = f"SELECT count(*) FROM judging_judgment WHERE assignment_id = {taken}"
        assert back.query(answers) != [(0,)]
        back.manage("restore", "--only-replay")
        assert back.query(answers) == [(0,)]
