"""`X-Forwarded-...` headers are only accepted from the proxies in TRUSTED_PROXIES."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse

FORWARDED = "HTTP_X_FORWARDED_"
# Headers of proxies. A client without a proxy that sets them only harms itself.
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
    def middleware(request: HttpRequest) -> HttpResponse:
        request.META[WAS_FORWARDED] = any(name in request.META for name in OF_PROXIES)
        if not is_trusted(request.META.get("REMOTE_ADDR", "")):
            for name in [name for name in request.META if name.startswith(FORWARDED)]:
                del request.META[name]
        return get_response(request)

    return middleware


def was_forwarded(request: HttpRequest) -> bool:
    """Whether a proxy, trusted or not, forwarded the request; true without the middleware."""
    return bool(request.META.get(WAS_FORWARDED, True))


def client_address(request: HttpRequest) -> str:
    """Behind a trusted proxy, the last address in X-Forwarded-For."""
    forwarded = str(request.META.get(f"{FORWARDED}FOR", "")).split(",")[-1].strip()
    return forwarded or str(request.META.get("REMOTE_ADDR", ""))


def hashed_client_address(request: HttpRequest) -> str:
    """A keyed hash of the client address, by which requests are counted without storing it.

    The random key is discarded after a day. IPv6 addresses of one customer's network share a hash.
    """
    address = client_address(request)
    with suppress(ValueError):
        if (ip := ip_address(address)).version == IPV6:
            address = str(ip_network(f"{ip}/{IPV6_NETWORK}", strict=False))
    key = caches["default"].get_or_set(KEY_NAME, secrets.token_hex, A_DAY)
    return blake2b(address.encode(), key=str(key).encode(), digest_size=32).hexdigest()


def is_trusted(address: str) -> bool:
    try:
        ip = ip_address(address)
    except ValueError:  # a socket that has no address
        return False
    return any(ip in network for network in settings.TRUSTED_PROXIES)
