"""Redis, in which tasks wait for Celery's workers, asked by whoever wants to know how it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery import current_app
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

SECONDS = 2.0  # that it may take: whoever asks is waiting for a page
# The last is what the embedded server raises that does not start (config.embedded).
UNAVAILABLE = (OperationalError, RedisError, OSError, RuntimeError)


@contextmanager
def broker() -> Iterator[Connection]:
    """A connection that waits for nothing longer than SECONDS; one of UNAVAILABLE where it must."""
    deadlines = {
        "socket_timeout": SECONDS,
        "socket_connect_timeout": SECONDS,
        "connect_retries_timeout": SECONDS,
        "max_retries": 1,
    }
    with current_app.connection_for_read(transport_options=deadlines) as connection:
        yield connection


@contextmanager
def redis() -> Iterator[Any]:
    """A client of Redis that waits for nothing longer than SECONDS either."""
    with broker() as connection:
        yield connection.default_channel.client  # type: ignore[attr-defined]
