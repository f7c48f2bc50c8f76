"""Limits of request bodies by BODY_LIMITS and ANONYMOUS_BODY_LIMIT, and no files."""

from collections.abc import Callable
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import SuspiciousMultipartForm
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render

from web.rest.problems import problem

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def limits_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse bodies that are too long, or of no known length, and methods that nobody needs."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        if "HTTP_TRANSFER_ENCODING" in request.META:  # Django would take the body for empty
            return problem("Length required", 411, "Say how long the body is: Content-Length.")
        limit = max_body_bytes(
            request.path,
            authorization=request.headers.get("Authorization", ""),
            cookies=request.headers.get("Cookie", ""),
        )
        if int(request.META.get("CONTENT_LENGTH") or 0) > limit:
            return _too_large(request, limit)
        return get_response(request)

    return middleware


def _too_large(request: HttpRequest, limit: int) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem(
            "Content too large", 413, f"A request may bring {limit:,} bytes to this address."
        )
    return render(request, "413.html", {"limit": limit}, status=413)


class NoFiles(FileUploadHandler):
    """Refuses the first file of a form; views that accept files use web.files."""

    def new_file(self, *arguments: Any, **options: Any) -> NoReturn:
        raise SuspiciousMultipartForm("No form takes files.")


def max_body_bytes(path: str, *, authorization: str = "", cookies: str = "") -> int:
    """The maximum length of a body for a path; the headers are Authorization and Cookie.

    Without a session cookie and a token it is at most ANONYMOUS_BODY_LIMIT. Neither is looked up,
    since this is called before the body is read.
    """
    limits: dict[str, int] = settings.BODY_LIMITS
    prefixes = (prefix for prefix in limits if path.startswith(prefix))
    limit = limits[max(prefixes, key=len, default="/")]  # no address of the site: `OPTIONS *`
    if authorization or _has_session(cookies):
        return limit
    return min(limit, settings.ANONYMOUS_BODY_LIMIT)


def _has_session(cookies: str) -> bool:
    pairs = (part.strip().partition("=") for part in cookies.split(";"))
    return any(name == settings.SESSION_COOKIE_NAME and value for name, _, value in pairs)
