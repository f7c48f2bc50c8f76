"""Liveness and readiness probes of a web process.

They are answered before other middleware: no session, redirect or check of the host, so that a
proxy can use an IP address.
"""

import threading
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from web.health import database_fault

METHODS = ["GET", "HEAD"]
DRAINING = "this process is about to end"
_draining = threading.Event()


def start_draining() -> None:
    """Report not ready from now on, so that proxies send requests to other processes."""
    _draining.set()


def alive() -> str:
    return ""


def ready() -> str:
    """Why this process should get no requests, or empty."""
    return DRAINING if _draining.is_set() else database_fault()


PROBES: dict[str, Callable[[], str]] = {
    "/healthz": alive,
    "/readyz": ready,
    "/health/": ready,  # the older name
}
# Slower addresses with more detail, answered by `operations`.
STATUS, METRICS = "/status", "/metrics"


def probes_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
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
