"""The `X-Forwarded-...` headers are believed of the proxies in TRUSTED_PROXIES alone."""

from collections.abc import Callable
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse

FORWARDED = "HTTP_X_FORWARDED_"
# What proxies add; who asks without one may still lie about these, to their own disadvantage.
OF_PROXIES = (
    *(f"{FORWARDED}{name}" for name in ("FOR", "HOST", "PROTO", "PORT", "SERVER")),
    *("HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP"),
)
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


def is_trusted(address: str) -> bool:
    """Whether an address is that of a proxy of ours."""
    try:
        sender = ip_address(address)
    except ValueError:  # a socket that has no address
        return False
    return any(sender in network for network in settings.TRUSTED_PROXIES)
