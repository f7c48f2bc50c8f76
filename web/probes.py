"""What those ask who watch a web process: does it answer, can it serve a worker?

They are answered before anything else is done with a request: no session, no redirect, no table of
hosts, so that a proxy may ask by an address.
"""

import threading
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from web.health import complaint

METHODS = ["GET", "HEAD"]
LEAVING = "this process is about to end"
_leaving = threading.Event()


def leave() -> None:
    """From now on say that this process is not ready, so that proxies send requests to others."""
    _leaving.set()


def alive() -> str:
    """Nothing is wrong with a process that answers."""
    return ""


def ready() -> str:
    """Why this process should be sent no more requests; empty if it should."""
    return LEAVING if _leaving.is_set() else complaint()


PROBES: dict[str, Callable[[], str]] = {
    "/healthz": alive,
    "/readyz": ready,
    "/health/": ready,  # the older name
}
# Addresses that say more, and take longer to: `operations` answers them.
WATCHING = STATUS, METRICS = "/status", "/metrics"


def probes_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer a probe: 200 and `ok`, or 503 and what is wrong."""

    def middleware(request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path)
        if probe is None:
            return get_response(request)
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        fault = probe()
        return HttpResponse(
            fault or "ok",
            content_type="text/plain",
            status=503 if fault else 200,
            headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
        )

    return middleware
