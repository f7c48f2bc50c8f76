"""Threads of a web process are kept for probes, also while all pages wait for PostgreSQL."""

import threading
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.core.signals import request_finished
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from web.views import unavailable

TIMEOUT = 0.5  # seconds for another request to end


def overload_middleware(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer MAX_REQUESTS at once; the next waits for one to end, and where none does gets 503.

    A request ends when its answer is sent, so those that stream count until then.
    """
    if settings.PROCESS != "web":
        raise MiddlewareNotUsed
    free = threading.BoundedSemaphore(settings.MAX_REQUESTS)
    thread = threading.local()
    is_stuck = False

    def release(**signal: object) -> None:
        if getattr(thread, "is_counted", False):
            thread.is_counted = False
            free.release()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        nonlocal is_stuck
        is_stuck = not free.acquire(timeout=0 if is_stuck else TIMEOUT)
        if is_stuck:
            return unavailable(request)
        thread.is_counted = True
        return get_response(request)

    request_finished.connect(release, weak=False)
    return middleware
