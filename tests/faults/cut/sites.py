"""The databases that commands are called on, each a copy of one of these."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from django.db import connection, connections
from django.test.utils import override_settings

from evaluation.pipeline import evaluate
from judging.flow.ending import withdraw
from judging.models import Assignment
from judging.states import Actor
from operations.backup import dumping, encryption
from operations.backup.stores import Folder
from operations.record.tasks import write_all
from tests.factory import make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs, random_runs
from tests.faults.cut.commands import Backup, Command, Import, Migrate, Recompute, Restore
from tests.faults.site import write_collection
from tests.operations.databases import database
from web import clock


@contextmanager
def commands(folder: Path, size: int) -> Iterator[list[Command]]:
    """All commands, while what they need is there. The database has no rows, and all tables.

    size: topics of the study that is judged, and of the collection that is imported.
    """
    key = folder / "key"
    secret = encryption.make_key(key)
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
            dumping.make_backup(place)
            _go_on()
        connections["default"] = here
        restore = Restore(place, key)
        yield [
            Migrate("template0"),
            Import(empty, files),
            Recompute(judged),
            Backup(judged, key),
            restore,
        ]
        restore.unplaced.unlink(missing_ok=True)


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
    withdraw(str(judged.completion_code), clock.now(), Actor.WORKER)
    complete(make_study(), "dora")
    assert write_all() > 1
