"""A connection to PostgreSQL that was found alive a moment ago is not asked again.

Django asks at the first query of each request, which is one statement in ten. A connection that
fails is closed at the end of its request in any case.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from django.core.signals import request_finished, request_started
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver

MOMENT = 1.0  # seconds


class _Thread(threading.local):
    checked_at = -MOMENT
    is_trusted = False  # in this request
    has_asked = False  # anything, in this request


_thread = _Thread()


@receiver(connection_created)
def watch(connection: BaseDatabaseWrapper, **signal: object) -> None:
    if note_query not in connection.execute_wrappers:
        connection.execute_wrappers.append(note_query)


def note_query(execute: Callable[..., Any], *arguments: Any) -> Any:
    _thread.has_asked = True
    return execute(*arguments)


@receiver(request_started)
def trust_what_was_just_checked(**signal: object) -> None:
    _thread.has_asked = False
    _thread.is_trusted = time.monotonic() - _thread.checked_at < MOMENT
    if _thread.is_trusted:
        connection.health_check_done = True  # type: ignore[attr-defined]


@receiver(request_finished)
def note_check(**signal: object) -> None:
    if _thread.has_asked and not _thread.is_trusted:
        _thread.checked_at = time.monotonic()
