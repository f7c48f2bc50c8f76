"""A line for each request in the logs, and an id by which all its lines are found."""

import logging
import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from time import monotonic

from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path

from web.middleware.proxies import is_trusted

HEADER = "X-Request-ID"
VALID = re.compile(r"[A-Za-z0-9-]{8,64}")

log = logging.getLogger(__name__)

_current = ContextVar("request", default="")


def request_id() -> str:
    """The id of the request that this thread works on, or has just answered."""
    return _current.get()


def requests_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Give each request an id, from a trusted proxy or a new one, and send it with the response.

    It stays until the next request, for what happens while the response is sent. Logged are method,
    path, status, and the microseconds until the response is there, if not wholly sent.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        is_valid = is_trusted(request.META.get("REMOTE_ADDR", "")) and VALID.fullmatch(given)
        _current.set(given if is_valid else uuid.uuid4().hex)
        began = monotonic()
        response = get_response(request)
        response.headers[HEADER] = request_id()
        path, microseconds = escape_uri_path(request.path), 1e6 * (monotonic() - began)
        log.info("%s %s %s %d", request.method, path, response.status_code, microseconds)
        return response

    return middleware
