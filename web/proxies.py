"""The `X-Forwarded-...` headers are believed of the proxies in TRUSTED_PROXIES alone."""

from collections.abc import Callable
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse

FORWARDED = "HTTP_X_FORWARDED_"


def proxies_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Drop every `X-Forwarded-...` header that comes from anybody but a trusted proxy."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not _is_trusted(request.META.get("REMOTE_ADDR", "")):
            for name in [name for name in request.META if name.startswith(FORWARDED)]:
                del request.META[name]
        return get_response(request)

    return middleware


def sender(request: HttpRequest) -> str:
    """The address that a request comes from; behind a trusted proxy, the one that it names last."""
    forwarded = str(request.META.get(f"{FORWARDED}FOR", "")).split(",")[-1].strip()
    return forwarded or str(request.META.get("REMOTE_ADDR", ""))


def _is_trusted(address: str) -> bool:
    try:
        sender = ip_address(address)
    except ValueError:  # a socket that has no address
        return False
    return any(sender in network for network in settings.TRUSTED_PROXIES)
