"""The time by PostgreSQL's clock, whatever the clocks of hosts say."""

import time
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection

TRUSTED, MAX_DELAY = 1.0, 0.01  # seconds


class Reading(NamedTuple):
    """PostgreSQL's time, and this machine's uptime right after it was asked."""

    database: datetime
    uptime: float


_latest: Reading | None = None


def now() -> datetime:
    """In UTC; it advances within a transaction.

    PostgreSQL is asked once a second, and in between the uptime is added to what it said. That is
    up to MAX_DELAY behind its clock, and never ahead of it: if the answer took longer, it is asked
    again the next time.
    """
    global _latest
    uptime = time.monotonic()
    if _latest is not None and uptime < _latest.uptime + TRUSTED:
        return _latest.database + timedelta(seconds=uptime - _latest.uptime)
    with connection.cursor() as cursor:
        asked_at = time.monotonic()
        # Django's Now() needs a table, and is the time at which the statement began.
        cursor.execute("SELECT clock_timestamp()")
        reading = Reading(cursor.fetchone()[0], time.monotonic())
    _latest = reading if reading.uptime < asked_at + MAX_DELAY else None
    return reading.database
