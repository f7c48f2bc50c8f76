"""What the clock asks for is known to the worker that listens for it, and may not take for ever."""

from importlib import import_module

import pytest
from django.conf import settings

from config.celery import app
from config.embedded.processes import EVALUATION, EXPIRY, IMPORTS

from . import compose
from .test_separate_servers import GIVEN

TASKS = [entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()]


def knows(command: list[str], queue: str, module: str) -> bool:
    """Whether it starts a worker that listens to the queue and loads the module."""
    options = dict(zip(command, command[1:], strict=False))
    return options.get("--queues") == queue and module in options["--include"].split(",")


@pytest.mark.parametrize("task", TASKS)
def test_a_worker_listens_for_every_task_and_knows_it(task: str) -> None:
    queue = settings.CELERY_TASK_ROUTES.get(task, {"queue": "celery"})["queue"]
    services = [service.command for service in compose.read(GIVEN).values()]
    for commands in ([EVALUATION, EXPIRY, IMPORTS], services):
        assert [knows(command, queue, task.rpartition(".")[0]) for command in commands].count(
            True
        ) == 1


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_time(task: str) -> None:
    import_module(task.rpartition(".")[0])
    assert 0 < app.tasks[task].soft_time_limit < app.tasks[task].time_limit
