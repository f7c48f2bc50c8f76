"""Who may ask how the site is: whoever shows the token, and this machine itself."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from web.proxies import was_forwarded

TOKEN = "Bearer "  # noqa: S105 - the word before it


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
