"""Limits of request bodies: their length, by address and login, and no files.

The settings BODY_LIMITS and ANONYMOUS_BODY_LIMIT have the lengths. The web server does not read a
body that is too long, but hands on the request without it (config.server); here it is refused.
"""

from collections.abc import Callable
from typing import Any, NoReturn

from django.core.exceptions import SuspiciousMultipartForm
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render

from web.body_lengths import max_body_bytes
from web.problems import problem

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
TITLE = "Content too large"


def limits_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse bodies that are too long, unread, and methods that nobody needs."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
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
        return problem(TITLE, 413, f"A request may bring {limit:,} bytes to this address.")
    return render(request, "413.html", {"limit": limit}, status=413)


class NoFiles(FileUploadHandler):
    """Refuses the first file of a form; views that accept files say so (web.files)."""

    def new_file(self, *arguments: Any, **options: Any) -> NoReturn:
        """Raise SuspiciousMultipartForm, which Django answers with 400."""
        raise SuspiciousMultipartForm("No form takes files.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Never called."""

    def file_complete(self, file_size: int) -> None:
        """Never called."""
