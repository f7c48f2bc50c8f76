"""What the clock asks for is known to the worker that listens for it, and may not take for ever."""

import re
import threading
import time
from importlib import import_module
from itertools import count

import pytest
import yaml
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings

from config import background
from config.background import COMPUTE, IO, TASKS, Periodic
from config.celery import app
from web.background.deadlines import check_deadline
from web.background.work import for_each
from workspace.io_tasks import WORK

from .helpers import ROOT

SCHEDULE = background.schedule(2, heartbeat=True)  # all that may ever be asked for


def test_essential_tasks_are_scheduled() -> None:
    """Whatever is set here: old backups go also where no new one is made."""
    assert SCHEDULE["operations.heartbeat.heartbeat"]["schedule"] == 60
    assert SCHEDULE["operations.backup.tasks.back_up"]["schedule"] <= 300
    assert SCHEDULE["judging.tasks.tick"]["schedule"] <= 15
    assert SCHEDULE["workspace.io_tasks.find_work"]["schedule"] == 2
    assert "operations.record.tasks.write_record" in WORK
    silent = background.schedule(2, heartbeat=False)
    assert SCHEDULE.keys() - silent.keys() == {"operations.heartbeat.heartbeat"}
    assert settings.CELERY_BEAT_SCHEDULE.keys() in (SCHEDULE.keys(), silent.keys())


def test_tasks_without_a_period_are_requested_when_there_is_work() -> None:
    unscheduled = TASKS.keys() - SCHEDULE.keys()
    assert unscheduled == {name for name, task in TASKS.items() if task.every == background.FOUND}
    assert unscheduled < WORK.keys() < TASKS.keys()


def test_every_queue_has_a_worker_on_one_machine_and_in_containers() -> None:
    started = re.findall(r"config\.worker (\w+)", (ROOT / "embedded/supervisord.conf").read_text())
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    commands = [said["command"][-2:] for said in services.values() if "command" in said]
    assert started == [*settings.TASKS_OF_QUEUES]
    assert [name for worker, name in commands if worker == "config.worker"] == started


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_known_to_its_queue_and_has_its_time(name: str) -> None:
    assert app.amqp.router.route({}, name)["queue"].name == TASKS[name].queue
    assert name.rpartition(".")[0] in settings.TASKS_OF_QUEUES[TASKS[name].queue]
    import_module(name.rpartition(".")[0])
    assert 0 < app.tasks[name].soft_time_limit < app.tasks[name].time_limit


def a_task(monkeypatch: pytest.MonkeyPatch, work, limit: float = 60):
    name = f"test {next(numbers)}"
    monkeypatch.setitem(TASKS, name, Periodic(IO, None, limit))
    monkeypatch.setitem(app.Task._running, name, threading.Lock())
    return app.task(work, name=name)


numbers = count()


def test_a_task_of_threads_has_one_run_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """So each has a thread: what others wait for takes none from the tick."""
    runs, goes_on = [], threading.Event()

    def work() -> int:
        runs.append(1)
        assert goes_on.wait(60)
        return len(runs)

    task = a_task(monkeypatch, work)
    first = threading.Thread(target=task)
    first.start()
    while not runs:
        time.sleep(0.01)
    assert [task() for _ in range(3)] == [None] * 3
    goes_on.set()
    first.join()
    assert task() == 2


def test_a_task_of_threads_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def work() -> int:
        return for_each(range(100), lambda row: time.sleep(0.02) or done.append(row) or 1, "a row")

    task = a_task(monkeypatch, work, limit=0.1)
    for _ in range(2):  # another run has its own time
        done.clear()
        with pytest.raises(SoftTimeLimitExceeded):
            task()
        assert 0 < len(done) < 50
    check_deadline()  # afterwards there is none


def test_only_those_that_wait_run_in_threads() -> None:
    assert {TASKS[name].queue for name in app.Task._running} == {IO}
    long = {name for name, task in TASKS.items() if task.limit > 60}
    assert {TASKS[name].queue for name in long} == {COMPUTE}
