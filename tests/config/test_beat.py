"""The clock goes on when the machine's is set."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from celery import Celery
from django.conf import settings

from config.beat import MAX_WAITING, Scheduler
from config.celery import app as ours
from embedded import sharing
from judging.monitoring.status import machine
from web.queues import redis


class Sent(Scheduler):
    """What it sends, it counts."""

    times = 0
    producer = None  # no broker is asked

    def apply_async(self, *arguments: object, **options: object) -> None:
        self.times += 1


@contextmanager
def set_by(hours: float, app: Celery, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(app, "now", lambda: datetime.now(UTC) + timedelta(hours=hours))
        yield


@pytest.mark.parametrize("hours", [-1, 1])
def test_ticks_are_sent_whatever_day_it_is(hours: float, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Celery("clock", set_as_current=False)
    app.conf.beat_schedule = {"tick": {"task": "tick", "schedule": 0.01}}
    clock = Sent(app)
    time.sleep(0.02)
    clock.tick()
    assert clock.times == 1
    with set_by(hours, app, monkeypatch):
        assert clock.tick() < 1
        time.sleep(0.02)
        clock.tick()
    assert clock.times == 2


def test_it_sleeps_until_something_is_due() -> None:
    """Celery's own asks some hundred times in the ten milliseconds before."""
    app = Celery("clock", set_as_current=False)
    app.conf.beat_schedule = {"tick": {"task": "tick", "schedule": 0.1}}
    clock, asked = Sent(app), 0
    while clock.times < 3:
        asked += 1
        time.sleep(max(0.0, clock.tick()))
    assert asked < 20


@pytest.fixture
def queues() -> Iterator[Callable[[], dict[str, int]]]:
    """The lengths of the queues, to which no worker listens; they are empty before and after."""

    def lengths() -> dict[str, int]:
        with redis() as client:
            return {queue: client.llen(queue) for queue in settings.TASKS_OF_QUEUES}

    def empty() -> None:
        with redis() as client:
            client.delete(*settings.TASKS_OF_QUEUES)

    if settings.EMBEDDED_SERVERS:
        sharing.start(settings.EMBEDDED_SERVERS)
    empty()
    yield lengths
    empty()


def send_all(clock: Scheduler, times: int) -> None:
    for _ in range(times):
        for entry in clock.schedule.values():
            clock.apply_entry(entry, clock.producer)


def test_where_no_worker_listens_queues_do_not_grow_without_end(queues, caplog) -> None:
    clock = Scheduler(ours)
    send_all(clock, MAX_WAITING)
    send_all(clock, 2 * MAX_WAITING)
    assert set(queues().values()) == {MAX_WAITING}
    assert not caplog.records


def test_a_queue_gets_tasks_again_once_a_worker_has_done_some(queues) -> None:
    clock = Scheduler(ours)
    send_all(clock, MAX_WAITING)
    with redis() as client:
        client.ltrim("io", 0, MAX_WAITING - 11)
    send_all(clock, 1)
    assert MAX_WAITING - 10 < queues()["io"] < MAX_WAITING


def test_the_lights_see_a_queue_that_gets_no_more() -> None:
    assert MAX_WAITING > machine.MANY_TASKS
