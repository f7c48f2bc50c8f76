"""The addresses of whoever watches the site, answered before hosts, sessions and redirects.

A program that watches asks this machine by an address, over plain http, where the site itself is
served by its name and over https alone.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from operations.health.views import status
from operations.metrics.views import metrics
from web.probes import METRICS, STATUS

VIEWS: dict[str, Callable[[HttpRequest], HttpResponse]] = {STATUS: status}
OF_METRICS = {METRICS: metrics}


def watching_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer these; everything else goes on."""
    views = VIEWS | (OF_METRICS if settings.METRICS else {})

    def middleware(request: HttpRequest) -> HttpResponse:
        return views.get(request.path, get_response)(request)

    return middleware
