"""Metrics of requests by view, counted by each web process and summed when they are read.

Prometheus' client shares the counts of processes by files in PROMETHEUS_MULTIPROC_DIR, which
config/gunicorn.py sets before this is imported.
"""

import os
import time
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

from web.middleware.limits import METHODS

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20)
NO_VIEW = "none"  # no address of the site

own = CollectorRegistry()  # of this process
requests = Counter(
    "magnitudes_requests", "Requests answered.", ["view", "method", "status"], registry=own
)
seconds = Histogram(
    "magnitudes_request_seconds",
    "Seconds until a request was answered.",
    ["view"],
    buckets=SECONDS,
    registry=own,
)


def registry() -> CollectorRegistry:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return own
    of_all = CollectorRegistry()
    MultiProcessCollector(of_all)
    return of_all


def counting_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Labels are names in the code, never addresses or persons."""
    if not settings.METRICS:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        view = match.view_name if match else NO_VIEW
        method = request.method if request.method in METHODS else "other"
        requests.labels(view, method, response.status_code).inc()
        seconds.labels(view).observe(time.perf_counter() - began)
        return response

    return middleware
