"""Time limits of tasks that run in threads, which Celery cannot interrupt."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from celery.exceptions import SoftTimeLimitExceeded

_deadline: ContextVar[float] = ContextVar("deadline", default=inf)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """`check_deadline` raises after so many seconds."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def check_deadline() -> None:
    """Raise SoftTimeLimitExceeded if the time of the task is over, as Celery does in a process."""
    if time.monotonic() > _deadline.get():
        raise SoftTimeLimitExceeded
