"""What the clock asks for is known to the worker that listens for it, and may not take for ever."""

from importlib import import_module
from itertools import pairwise

import pytest
from django.conf import settings

from config import background
from config.celery import app
from config.embedded.processes import CHORES, EVALUATION, EXPIRY, IMPORTS

from . import compose
from .compose import GIVEN

SCHEDULE = background.schedule(2, heartbeat=True)  # all that may ever be asked for
TASKS = [entry["task"] for entry in SCHEDULE.values()]


def test_essential_tasks_are_scheduled() -> None:
    """Whatever is set here: old backups go also where no new one is made."""
    asked = {entry["task"]: entry["schedule"] for entry in SCHEDULE.values()}
    assert asked["operations.heartbeat.tasks.heartbeat"] == 60
    assert asked["operations.backup.tasks.back_up"] <= 300
    assert asked["operations.record.tasks.write_record"] <= 5
    assert asked.keys() == background.SECONDS_OF_TASKS.keys()
    silent = background.schedule(2, heartbeat=False)
    assert SCHEDULE.keys() - silent.keys() == {"heartbeat"}
    assert settings.CELERY_BEAT_SCHEDULE.keys() in (SCHEDULE.keys(), silent.keys())


@pytest.mark.parametrize("queue", settings.TASKS_OF_QUEUES)
def test_a_worker_of_each_queue_knows_its_tasks(queue: str) -> None:
    services = [service.command for service in compose.read(GIVEN).values()]
    for commands in ([EVALUATION, EXPIRY, CHORES, IMPORTS], services):
        options = [dict(pairwise(command)) for command in commands]
        known = [each["--include"] for each in options if each.get("--queues") == queue]
        assert known == [",".join(settings.TASKS_OF_QUEUES[queue])]


@pytest.mark.parametrize("task", TASKS)
def test_a_queue_has_it(task: str) -> None:
    queue = app.amqp.router.route({}, task)["queue"].name
    assert task.rpartition(".")[0] in settings.TASKS_OF_QUEUES[queue]


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_time(task: str) -> None:
    import_module(task.rpartition(".")[0])
    assert 0 < app.tasks[task].soft_time_limit < app.tasks[task].time_limit
