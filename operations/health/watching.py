"""The endpoints for monitoring, answered before checks of hosts, sessions and redirects.

Monitoring programs use an IP address and plain http, while the site itself is only served by its
name and over https.
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
    views = VIEWS | (OF_METRICS if settings.METRICS else {})

    def middleware(request: HttpRequest) -> HttpResponse:
        return views.get(request.path, get_response)(request)

    return middleware
