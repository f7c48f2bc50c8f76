"""Connections to Redis, the broker of Celery, with short time-outs, for checks of the site."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery import current_app
from django.conf import settings
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

MAX_WAITING = 200  # tasks in a queue
TIMEOUT = 2.0  # seconds: somebody is waiting for a page
UNAVAILABLE = (OperationalError, RedisError, OSError)


@contextmanager
def broker() -> Iterator[Connection]:
    """With TIMEOUT; raises one of UNAVAILABLE."""
    timeouts = {
        "socket_timeout": TIMEOUT,
        "socket_connect_timeout": TIMEOUT,
        "connect_retries_timeout": TIMEOUT,
        "max_retries": 1,
    }
    with current_app.connection_for_read(transport_options=timeouts) as connection:
        yield connection


def queue_of(task: str) -> str:
    name: str = current_app.amqp.router.route({}, task)["queue"].name
    return name


@contextmanager
def redis() -> Iterator[Any]:
    with broker() as connection:
        yield connection.default_channel.client  # type: ignore[attr-defined]


def queue_lengths() -> dict[str, int]:
    """By queue, the tasks that no worker has begun; raises one of UNAVAILABLE."""
    with redis() as client:
        return {queue: client.llen(queue) for queue in settings.TASKS_OF_QUEUES}
