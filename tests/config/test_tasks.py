"""What the clock asks for is known to the worker that listens for it, and may not take for ever."""

from importlib import import_module
from itertools import pairwise

import pytest
from django.conf import settings

from config.celery import app
from config.embedded.processes import EVALUATION, EXPIRY, IMPORTS

from . import compose
from .compose import GIVEN

TASKS = [entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()]


@pytest.mark.parametrize("queue", settings.TASKS_OF_QUEUES)
def test_a_worker_of_each_queue_knows_its_tasks(queue: str) -> None:
    services = [service.command for service in compose.read(GIVEN).values()]
    for commands in ([EVALUATION, EXPIRY, IMPORTS], services):
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
