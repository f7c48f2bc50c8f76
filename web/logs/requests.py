"""A name for each request, by which the lines about it are found in the logs."""

import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from web.proxies import is_trusted

HEADER = "X-Request-ID"
GOOD = re.compile(r"[A-Za-z0-9-]{8,64}")

_current = ContextVar("request", default="")


def request_id() -> str:
    """The name of the request that this thread works on, or has just answered."""
    return _current.get()


def forget_request() -> None:
    """Nothing that is logged from now on is about the request before."""
    _current.set("")


def requests_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Name each request, as a trusted proxy did or anew, and say the name with the answer.

    It stays known until the next one, so that the access log, which comes after, has it as well.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        believed = is_trusted(request.META.get("REMOTE_ADDR", "")) and GOOD.fullmatch(given)
        _current.set(given if believed else uuid.uuid4().hex)
        response = get_response(request)
        response.headers[HEADER] = request_id()
        return response

    return middleware
