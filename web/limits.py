"""What a request may bring: the length of its body by its address and its sender, and no files.

BODY_LIMITS of the settings has the lengths, STRANGERS_BODY_LIMIT that of who has not logged in.
The web server stops reading a body that is too long and hands on the request without it
(config.server); here it is refused.
"""

from collections.abc import Callable
from typing import Any, NoReturn

from django.core.exceptions import SuspiciousMultipartForm
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render

from web.body_lengths import most_bytes
from web.problems import problem

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
TITLE = "Content too large"


def limits_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse a body that is too long before anything of it is read; and methods nobody needs."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        most = most_bytes(
            request.path,
            authorization=request.headers.get("Authorization", ""),
            cookies=request.headers.get("Cookie", ""),
        )
        if int(request.META.get("CONTENT_LENGTH") or 0) > most:
            return _too_large(request, most)
        return get_response(request)

    return middleware


def _too_large(request: HttpRequest, most: int) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem(TITLE, 413, f"A request may bring {most:,} bytes to this address.")
    return render(request, "413.html", {"most": most}, status=413)


class NoFiles(FileUploadHandler):
    """Refuses the first file of a form; those that take one say so (web.files)."""

    def new_file(self, *arguments: Any, **options: Any) -> NoReturn:
        """Called where a file begins; SuspiciousMultipartForm, which Django answers with 400."""
        raise SuspiciousMultipartForm("No form takes files.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Nothing comes so far."""

    def file_complete(self, file_size: int) -> None:
        """Nothing comes so far."""
