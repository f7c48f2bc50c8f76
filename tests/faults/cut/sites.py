"""The databases that commands are called on, each a copy of one of these."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from django.core.management import call_command
from django.db import connection, connections
from django.test.utils import override_settings

from evaluation.pipeline import evaluate
from judging.flow.ending import withdraw
from judging.models import Assignment, Study
from judging.states import By
from operations.backup import making, sealing
from operations.backup.stores import Folder
from operations.record import writing
from tests.config.helpers import ROOT
from tests.factory import make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs, random_runs
from tests.faults.cut.commands import Backup, Command, Import, Migrate, Recompute, Restore
from tests.faults.site import write_collection
from tests.operations.databases import database
from tests.test_migrations import released
from web import clock


@contextmanager
def commands(folder: Path, size: int, tag: str = "") -> Iterator[list[Command]]:
    """All commands, while what they need is there. The database has no rows, and all tables.

    size: topics of the study that is judged, and of the collection that is imported.
    tag: of the release from which `migrate` begins; empty: its tables, as ours with migrations
        taken back.
    """
    key = folder / "key"
    secret = sealing.make_key(key)
    place = Folder(folder / "store")
    files = write_collection(folder / "files", size, 1)
    here = connections["default"]
    with (
        database("empty", here.settings_dict["NAME"]),
        database("judged", empty := connection.settings_dict["NAME"]),
    ):
        _judge(size)
        judged = connection.settings_dict["NAME"]
        with (
            database("later", judged),
            override_settings(BACKUP_KEY=secret, BACKUP_URL=place.root.as_uri()),
        ):
            making.make(place)
            _go_on()
        with _old(tag, judged, folder / "release") as old:
            connections["default"] = here
            restore = Restore(place, key)
            yield [
                Migrate(old),
                Import(empty, files),
                Recompute(judged),
                Backup(judged, key),
                restore,
            ]
            restore.unplaced.unlink(missing_ok=True)


@contextmanager
def _old(tag: str, judged: str, folder: Path) -> Iterator[str]:
    """The name of a database with tables of before; nobody is in it, as it is a template."""
    with database("old", "template0" if tag else judged):
        if tag:
            _fill_by(tag, folder)
        else:
            _go_back()
        old = connection.settings_dict["NAME"]
        connection.close()
        yield old


def _judge(size: int) -> None:
    """A study in which somebody has judged since the last rankings."""
    study = make_study(topics=size, redundancy=3, payment="0.20")
    add_runs(study, random_runs(study, Random(3)))
    complete(study, "ada")
    complete(study, "ben", platform="prolific", external_id="ben-there", ids={})
    evaluate(study)
    complete(study, "carl")


def _go_on() -> None:
    """Somebody takes back what they said, and somebody is paid of whom the backup knows nothing."""
    judged = Assignment.objects.completed().order_by("pk")[0]
    withdraw(str(judged.completion_code), clock.now(), By.WORKER)
    complete(make_study(), "dora")
    assert writing.write_all() > 1


def _go_back() -> None:
    """To the tables of the last release."""
    last = {"web": "zero"}  # which that release does not have
    for path in sorted(released()):
        app, _, name = path.partition("/migrations/")
        last[app] = Path(name).stem
    for app, name in last.items():
        call_command("migrate", app, name, verbosity=0, skip_checks=True)
    assert Study.objects.exists()


def _fill_by(tag: str, folder: Path) -> None:
    """The demo of a release, made by its own code."""
    (folder / "var").mkdir(parents=True)
    archive = subprocess.run(["git", "archive", tag], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
    known = connection.settings_dict
    url = f"postgres://{known['USER']}@/{known['HOST']}/{known['NAME']}"
    for words in (("migrate", "--verbosity", "0"), ("load_demo",)):
        subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=folder,
            env={**os.environ, "DATABASE_URL": url, "VAR_DIR": str(folder / "var")},
            stdout=subprocess.DEVNULL,
            check=True,
        )
