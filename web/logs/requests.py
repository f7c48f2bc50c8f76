"""An id for each request, by which its lines are found in the logs."""

import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from web.middleware.proxies import is_trusted

HEADER = "X-Request-ID"
VALID = re.compile(r"[A-Za-z0-9-]{8,64}")

_current = ContextVar("request", default="")


def request_id() -> str:
    """The id of the request that this thread works on, or has just answered."""
    return _current.get()


def requests_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Give each request an id, from a trusted proxy or a new one, and send it with the response.

    It stays until the next request, as the access log is written after the response.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        is_valid = is_trusted(request.META.get("REMOTE_ADDR", "")) and VALID.fullmatch(given)
        _current.set(given if is_valid else uuid.uuid4().hex)
        response = get_response(request)
        response.headers[HEADER] = request_id()
        return response

    return middleware
