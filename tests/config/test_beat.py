"""The clock goes on when the machine's is set."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from celery import Celery

from config.beat import Scheduler
from config.celery import app as ours


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


def test_it_is_the_clock_of_the_site() -> None:
    assert ours.conf.beat_scheduler == f"{Scheduler.__module__}:{Scheduler.__name__}"
