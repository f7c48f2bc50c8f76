"""The `X-Forwarded-...` headers are believed of the proxies in TRUSTED_PROXIES alone."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse

FORWARDED = "HTTP_X_FORWARDED_"
# What proxies add; who asks without one may still lie about these, to their own disadvantage.
OF_PROXIES = (
    *(f"{FORWARDED}{name}" for name in ("FOR", "HOST", "PROTO", "PORT", "SERVER")),
    *("HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP"),
)
KEY_NAME, A_DAY = "key-of-addresses", 24 * 60 * 60
IPV6, IPV6_NETWORK = 6, 64  # bits of a network that one customer has
WAS_FORWARDED = "web.was_forwarded"  # no header can have this name


def proxies_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Drop every `X-Forwarded-...` header that comes from anybody but a trusted proxy."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.META[WAS_FORWARDED] = any(name in request.META for name in OF_PROXIES)
        if not is_trusted(request.META.get("REMOTE_ADDR", "")):
            for name in [name for name in request.META if name.startswith(FORWARDED)]:
                del request.META[name]
        return get_response(request)

    return middleware


def was_forwarded(request: HttpRequest) -> bool:
    """Whether some proxy handed the request on, trusted or not; true where nobody looked."""
    return bool(request.META.get(WAS_FORWARDED, True))


def sender(request: HttpRequest) -> str:
    """The address that a request comes from; behind a trusted proxy, the one that it names last."""
    forwarded = str(request.META.get(f"{FORWARDED}FOR", "")).split(",")[-1].strip()
    return forwarded or str(request.META.get("REMOTE_ADDR", ""))


def hashed_sender(request: HttpRequest) -> str:
    """The address that a request comes from, so that it can be counted and is not stored.

    It is hashed by a random key that is forgotten after a day. Of IPv6 the network counts, which
    one customer has.
    """
    address = sender(request)
    with suppress(ValueError):
        if (ip := ip_address(address)).version == IPV6:
            address = str(ip_network(f"{ip}/{IPV6_NETWORK}", strict=False))
    key = caches["default"].get_or_set(KEY_NAME, secrets.token_hex, A_DAY)
    return blake2b(address.encode(), key=str(key).encode(), digest_size=32).hexdigest()


def is_trusted(address: str) -> bool:
    """Whether an address is that of a proxy of ours."""
    try:
        sender = ip_address(address)
    except ValueError:  # a socket that has no address
        return False
    return any(sender in network for network in settings.TRUSTED_PROXIES)
