"""The addresses of whoever watches the site, answered before hosts, sessions and redirects.

A program that watches asks this machine by an address, over plain http, where the site itself is
served by its name and over https alone.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from operations.health.views import status

VIEWS: dict[str, Callable[[HttpRequest], HttpResponse]] = {"/status": status}


def watching_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer these; everything else goes on."""

    def middleware(request: HttpRequest) -> HttpResponse:
        return VIEWS.get(request.path, get_response)(request)

    return middleware
