"""Files that forms bring, which their views allow, and files that are sent to be stored."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponseBase
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect

View = Callable[..., HttpResponseBase]


def takes_files(view: View) -> View:
    """Let the form of a view bring files, each of which lies in a folder until it is answered.

    How files are taken must be settled before the form is read, which looking for its token does:
    so that is looked for afterwards.
    """
    protected = csrf_protect(view)

    @csrf_exempt
    @wraps(view)
    def taking(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        request.upload_handlers = [TemporaryFileUploadHandler(request)]
        return protected(request, *args, **kwargs)

    return taking


def attachment(name: str) -> dict[str, str]:
    """The header that has a file stored under a name."""
    return {"Content-Disposition": str(content_disposition_header(True, name))}
