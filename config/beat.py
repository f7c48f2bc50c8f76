"""The scheduler of Celery beat, on a monotonic clock.

Celery's own sends nothing for an hour when the machine's clock is set back by one.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from celery import beat

from web.queues import MAX_WAITING, queue_of

_began, _since = datetime.now(UTC), time.monotonic()


def now() -> datetime:
    """The time at the start of this process, plus the time since then."""
    return _began + timedelta(seconds=time.monotonic() - _since)


class Entry(beat.ScheduleEntry):
    """Its first run comes after a share of its period, so that not all tasks are due at once.

    Otherwise each of those would need a process, or a thread with a connection to PostgreSQL.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        assert self.schedule  # noqa: S101 - a number of seconds, or a time of day of Celery's own
        self.schedule.nowfun = now  # type: ignore[attr-defined]
        every: Any = getattr(self.schedule, "run_every", None)
        if every and not self.total_run_count:
            share = crc32(str(self.name).encode()) / 2**32
            self.last_run_at = self.default_now() - share * every

    def default_now(self) -> datetime:
        return now()

    _default_now = default_now


class Scheduler(beat.Scheduler):
    """It stores no state, since all periods are short.

    A queue without a worker does not grow beyond MAX_WAITING: each task does all that is due, so
    one that waits is as good as many.
    """

    Entry = Entry

    def adjust(self, n: float, drift: float = 0.0) -> float:
        """Celery's own is 10 ms early, and then asks hundreds of times whether it is time."""
        return n + drift

    def apply_async(
        self, entry: Any, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:
        """None if MAX_WAITING tasks wait in its queue."""
        queue = queue_of(entry.task)
        client: Any = self.connection.default_channel.client  # type: ignore[attr-defined]
        if client.llen(queue) >= MAX_WAITING:
            return None
        return super().apply_async(entry, producer=producer, advance=advance, **options)
