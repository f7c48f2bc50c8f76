"""Who may ask how the site is: whoever shows the token, and this machine itself."""

from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from web.proxies import was_forwarded

TOKEN = "Bearer "  # noqa: S105 - the word before it


def only_who_may_ask(
    view: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """A view that answers 401 to anybody else."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        if may_ask(request):
            return view(request)
        return HttpResponse(
            "Show the token of STATUS_TOKEN, or ask from this machine, past the proxy.\n",
            content_type="text/plain",
            status=401,
            headers={"WWW-Authenticate": "Bearer"},
        )

    return guarded


def may_ask(request: HttpRequest) -> bool:
    """Whether a request shows STATUS_TOKEN, or comes from this machine and through no proxy."""
    said = request.headers.get("Authorization", "")
    if settings.STATUS_TOKEN and said.startswith(TOKEN):
        return constant_time_compare(said.removeprefix(TOKEN).strip(), settings.STATUS_TOKEN)
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
