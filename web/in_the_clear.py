"""Programs that ask over plain http are refused; people are led to https (Django does that).

A program that is led on would send its token in the clear each time, and nobody would notice.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from web.problems import problem

OF_PROGRAMS = ("/api/v1/", "/hooks/")


def in_the_clear_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse what is asked in the clear at addresses of programs, where https is on."""

    def middleware(request: HttpRequest) -> HttpResponse:
        is_program = request.path.startswith(OF_PROGRAMS) or "Authorization" in request.headers
        if settings.SECURE_SSL_REDIRECT and is_program and not request.is_secure():
            return problem(
                "Only over https",
                403,
                "This address is answered over https alone. What was sent went in the clear: end "
                "the token that was in it, and make another.",
            )
        return get_response(request)

    return middleware
