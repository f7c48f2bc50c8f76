from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from web.middleware.proxies import was_forwarded

PREFIX = "Bearer "


def require_status_token(
    view: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    @wraps(view)
    def wrapper(request: HttpRequest) -> HttpResponse:
        if may_read_status(request):
            return view(request)
        return HttpResponse(
            "Show the token of STATUS_TOKEN, or ask from this machine, past the proxy.\n",
            content_type="text/plain",
            status=401,
            headers={"WWW-Authenticate": "Bearer"},
        )

    return wrapper


def may_read_status(request: HttpRequest) -> bool:
    header = request.headers.get("Authorization", "")
    if settings.STATUS_TOKEN and header.startswith(PREFIX):
        return constant_time_compare(header.removeprefix(PREFIX).strip(), settings.STATUS_TOKEN)
    return is_loopback(request.META.get("REMOTE_ADDR", "")) and not was_forwarded(request)


def is_loopback(address: str) -> bool:
    """Whether an address is of this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("10.0.0.1"), is_loopback("")
    (True, True, False, False)
    """
    try:
        return ip_address(address).is_loopback
    except ValueError:  # a socket that has no address
        return False
