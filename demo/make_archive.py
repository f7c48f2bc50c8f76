"""The finished study of the demo, made anew by the commands of any study: `make demo-data`.

Its clock and its chance are set, so that it comes out the same whenever this runs. Planted are the
bad anchor of topic 911, an hour in which nobody came, one careless worker who judged much, and two
label sets by which the crowd is divided.
"""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import CommandError, call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Max  # noqa: E402

from accounts.models import User  # noqa: E402
from crowd.through_flow import SECONDS_A_UNIT  # noqa: E402
from evaluation.publishing.verdicts import give_verdict, judged_document  # noqa: E402
from judging.models import Study  # noqa: E402
from web import clock  # noqa: E402

HERE = Path(__file__).resolve().parent
NAME = "demo"
ARCHIVE = HERE / "finished.zip"
SEED = 9077  # of a crowd in which one careless worker has judged much
AT_ONCE = 12  # workers
BEFORE_THE_STOP = 50  # workers who come
STOP = timedelta(minutes=75)
MADE = datetime(2026, 11, 2, 7, 30, tzinfo=UTC)
OPENED = MADE + timedelta(minutes=30)
# What the researcher found of documents on which crowd and labels differ.
VERDICTS = (
    ("910", "D174", "crowd", "The title fits, the text is about insurance."),
    ("901", "D020", "labels", "One sentence on longitude, in passing."),
    ("903", "D038", "crowd", "It names the road, the reason and what came of it."),
    ("907", "D020", "crowd", "Something falls here, but no cat."),
    ("905", "D033", "crowd", "About an octopus."),
    ("906", "D053", "crowd", "About an octopus as well."),
    ("906", "D114", "labels", "A wet cloth and a bowl of water: that is a way to keep milk cold."),
    ("903", "D029", "topic", "Moved into a tunnel: is a road removed then?"),
    ("908", "D140", "topic", "Nobody wakes them: is waking by oneself meant, too?"),
)


class BySeed:
    """Has units given out in an order of their keys, another at each time, and not by chance."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        if "ORDER BY RANDOM()" not in sql:
            return execute(sql, *given)
        self.times += 1
        order = f"ORDER BY md5(judging_unit.id::text || '-{SEED}-{self.times}')"
        return execute(sql.replace("ORDER BY RANDOM()", order), *given)


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    with patch.object(clock, "now", lambda: moment):
        yield


def main() -> None:
    call_command("migrate", verbosity=0)
    with at(MADE):
        call_command(
            *("import_collection", NAME, "--topics", HERE / "topics.trec"),
            *("--documents", HERE / "documents.trec", "--runs", HERE / "runs"),
            *("--qrels", HERE / "qrels.txt", f"second={HERE / 'qrels-second.txt'}"),
        )
        call_command("create_study", NAME, "--collection", NAME, "--config", HERE / "study.toml")
        call_command("plan_units", NAME, "--seed", SEED)
    with at(OPENED):
        call_command("open_study", NAME)
    study = Study.objects.get(slug=NAME)
    with suppress(CommandError):  # which says that units are left
        judge(study, OPENED + timedelta(minutes=10), BEFORE_THE_STOP)
    judge(study, last_at(study) + STOP)
    closed = last_at(study) + timedelta(minutes=20)
    with at(closed):
        call_command("close_study", NAME)
        call_command("recompute", NAME)
    researcher = User.objects.create_user("researcher")
    for minutes, (query_id, doc_id, finding, note) in enumerate(VERDICTS, 30):
        document = judged_document(study, query_id, doc_id)
        if document is None:
            raise LookupError(f"{doc_id} is not in the pool of {query_id}")
        moment = closed + timedelta(minutes=minutes)
        with at(moment):
            give_verdict(document, study.labels, finding, note, researcher, moment)
    with at(closed + timedelta(hours=1)), TemporaryDirectory() as folder:
        made = Path(folder, ARCHIVE.name)
        call_command("export_archive", NAME, made)
        shutil.move(made, ARCHIVE)


def judge(study: Study, begin: datetime, limit: int | None = None) -> None:
    """Let artificial workers come from then on; their command takes the time of their end."""
    left = study.units.count() - study.assignments.completed().count()
    end = begin + timedelta(seconds=SECONDS_A_UNIT) * (left / AT_ONCE + 1)
    with at(end):
        call_command(
            *("simulate_crowd", NAME, "--workers", AT_ONCE, "--seed", SEED),
            *("--anchors", "labels", "--labels", "reference", "second"),
            *(("--limit", limit) if limit else ()),
        )


def last_at(study: Study) -> datetime:
    last: datetime = study.assignments.aggregate(at=Max("active_at"))["at"]
    return last


if __name__ == "__main__":
    chance = random.Random(SEED)  # noqa: S311
    seeded = patch.object(random, "SystemRandom", lambda: chance)
    with seeded, connection.execute_wrapper(BySeed()):
        main()
