"""Refuses programs that use plain http; Django redirects browsers to https.

A program that follows redirects would send its token unencrypted each time, unnoticed.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from web.rest.problems import problem

PROGRAM_PREFIXES = ("/api/v1/", "/hooks/")


def https_only_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        is_program = request.path.startswith(PROGRAM_PREFIXES) or "Authorization" in request.headers
        if settings.SECURE_SSL_REDIRECT and is_program and not request.is_secure():
            return problem(
                "Only over https",
                403,
                "This address is answered over https alone. What was sent went in the clear: end "
                "the token that was in it, and make another.",
            )
        return get_response(request)

    return middleware
