"""Whether the database does its work: for whoever watches the site."""

import threading
import time
from contextlib import closing

from django.db import DatabaseError, connection

KEPT_SECONDS = 2.0  # that an answer serves: whoever asks more often costs nothing

_guard = threading.Lock()
_answer = (float("-inf"), "")


def complaint() -> str:
    """What is wrong with the database; empty if it can be reached and written to."""
    global _answer
    with _guard:
        asked_at, fault = _answer
        if time.monotonic() - asked_at > KEPT_SECONDS:
            fault = _ask()
            _answer = time.monotonic(), fault
        return fault


def _ask() -> str:
    """Ask on a new connection: that an open one works does not mean that a new one would."""
    with closing(connection.copy()) as own:
        try:
            own.ensure_connection()
        except DatabaseError:
            return "the database does not answer"
        try:
            with own.cursor() as cursor:
                # A page of a table takes room on the disk at once, unlike a row of one that is.
                cursor.execute("CREATE TEMPORARY TABLE health AS SELECT repeat('x', 1000) AS page")
        except DatabaseError:
            return "the database cannot be written to"
    return ""
