"""The tick as it runs in earnest: a Celery worker and its clock, and what happens to them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from embedded import sharing
from embedded.valkey import Valkey
from evaluation import results
from evaluation.models import Evaluation
from judging.models import Study
from tests.database import Elsewhere
from tests.factory.completed import complete, judged_study

SECONDS = 20  # a loaded machine takes its time; it is mostly one or two
TICK_SECONDS = "0.3"
# Celery as ever, but on the database of the tests.
CELERY = """
from config import settings
settings.DATABASES["default"]["NAME"] = {name!r}
from celery.__main__ import main
main()
"""
QUEUES = settings.TASKS_OF_QUEUES
WORKER = [
    "worker",
    "--queues",
    ",".join(QUEUES),
    "--include",
    ",".join(module for modules in QUEUES.values() for module in modules),
    "--concurrency",
    "1",
    "--without-gossip",
    "--without-mingle",
]
CLOCK = ["beat", "--pidfile="]


class Processes:
    """The worker and the clock, each with its children in a session of its own."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        code = CELERY.format(name=connection.settings_dict["NAME"])
        process = subprocess.Popen(
            [sys.executable, "-c", code, "--app", "config", *arguments, "--loglevel", "ERROR"],
            cwd=settings.BASE_DIR,
            env={**os.environ, "TICK_SECONDS": TICK_SECONDS},
            start_new_session=True,
        )
        self.running.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def processes(transactional_db: None) -> Iterator[Processes]:
    started = Processes()
    yield started
    for process in started.running:
        started.kill(process)


def until(condition: Callable[[], object]) -> None:
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < SECONDS, f"not within {SECONDS} s"
        time.sleep(0.05)


def published_units(study: Study) -> int:
    header = results.published(study)
    return header.units if header else 0


def someone_waits_for_a_row() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


@pytest.mark.skipif("REDIS_URL" in os.environ, reason="stops the embedded Valkey")
@pytest.mark.nightly
def test_every_completed_unit_reaches_the_ranking_whatever_dies(processes: Processes) -> None:
    study, _ = judged_study(1, topics=2, units=1)
    processes.start(*CLOCK)
    worker = processes.start(*WORKER)
    until(lambda: published_units(study) == 1)

    # The worker is killed, and nobody is there when a unit is completed.
    processes.kill(worker)
    complete_now(study, "while no worker runs")
    worker = processes.start(*WORKER)
    until(lambda: published_units(study) == 2)

    # The broker is killed, and started again.
    valkey = Valkey(settings.VAR_DIR, sharing.socket_folder(settings.VAR_DIR))
    os.kill(int(valkey.pid_file.read_text()), signal.SIGKILL)
    sharing.start([valkey])
    complete_now(study, "while no broker runs")
    until(lambda: published_units(study) == 3)

    # The worker is killed in the middle of an evaluation, which waits here for the row to publish.
    with transaction.atomic():
        Evaluation.objects.select_for_update().get(study=study)
        complete_elsewhere(study)
        until(someone_waits_for_a_row)
        processes.kill(worker)
    until(lambda: not someone_waits_for_a_row())
    time.sleep(0.5)
    assert published_units(study) == 3
    processes.start(*WORKER)
    until(lambda: published_units(study) == 4)


def complete_now(study: Study, name: str) -> None:
    """At the time it is, as the tick would let anything older expire."""
    complete(study, name, at=timezone.now())


def complete_elsewhere(study: Study) -> None:
    """Over a connection of its own, so that it is committed at once."""
    Elsewhere(lambda: complete_now(study, "while the evaluation is at work")).result()
