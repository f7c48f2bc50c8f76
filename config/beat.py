"""The clock that sends the ticks: it goes on when this machine's is set.

Celery's own would send none for an hour when it is set back by one.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import beat

MAX_WAITING = 200  # tasks in a queue
_began, _since = datetime.now(UTC), time.monotonic()


def now() -> datetime:
    """The time at which this process began, and what has passed since."""
    return _began + timedelta(seconds=time.monotonic() - _since)


class Entry(beat.ScheduleEntry):
    """What is sent every so many seconds, by that clock."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        assert self.schedule  # noqa: S101 - a number of seconds
        self.schedule.nowfun = now  # type: ignore[attr-defined]

    def default_now(self) -> datetime:
        """The time."""
        return now()

    _default_now = default_now


class Scheduler(beat.Scheduler):
    """It remembers nothing: every period is seconds long.

    A queue whose worker is away does not grow without end: each task finds all that is to be done,
    so one that waits is as good as many.
    """

    Entry = Entry

    def apply_async(
        self, entry: Any, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:
        """Send a task, unless MAX_WAITING wait in its queue; then None."""
        queue = self.app.amqp.router.route({}, entry.task)["queue"].name
        client: Any = self.connection.default_channel.client  # type: ignore[attr-defined]
        if client.llen(queue) >= MAX_WAITING:
            return None
        return super().apply_async(entry, producer=producer, advance=advance, **options)
