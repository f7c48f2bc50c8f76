"""Threads of a web process are reserved for probes, also while all pages wait for PostgreSQL."""

import threading
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.core.signals import request_finished
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from web.health import DatabaseCheck
from web.views import unavailable

# Seconds in which no request begins or ends before the database is asked, and that it has then. A
# probe may wait for both, and has a second.
QUIET, TIMEOUT = 0.15, 0.75


class Slots:
    """MAX_REQUESTS slots, and since when those who have one wait for the database."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken, self._changes, self._stuck_since = 0, 0, -1

    def take(self) -> bool:
        """Wait for a slot; False if none can be had."""
        while True:
            with self._changed:
                seen = self._changes
                if self._taken < settings.MAX_REQUESTS:
                    self._change(1)
                    return True
                if self._stuck_since == seen:
                    return False
                self._changed.wait(QUIET)
                if self._changes != seen:
                    continue
            if not DatabaseCheck().done.wait(TIMEOUT):
                self._stuck_since = seen

    def give_back(self) -> None:
        with self._changed:
            self._change(-1)

    def _change(self, by: int) -> None:
        self._taken += by
        self._changes += 1
        if by < 0:
            self._changed.notify()


def overload_middleware(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer MAX_REQUESTS at once; others wait, but get 503 where these wait for the database.

    A request ends when its answer is sent, so those that stream count until then.
    """
    if settings.PROCESS != "web":
        raise MiddlewareNotUsed
    slots, thread = Slots(), threading.local()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        thread.has_slot = slots.take()
        return get_response(request) if thread.has_slot else unavailable(request)

    def release(**signal: object) -> None:
        if getattr(thread, "has_slot", False):
            thread.has_slot = False
            slots.give_back()

    request_finished.connect(release, weak=False)
    return middleware
