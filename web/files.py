from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponseBase
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect

View = Callable[..., HttpResponseBase]


def accepts_files(view: View) -> View:
    """Let the form of a view have files, in temporary files during the request.

    The CSRF check reads the form, so it comes after the upload handler is set.
    """
    protected = csrf_protect(view)

    @csrf_exempt
    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        request.upload_handlers = [TemporaryFileUploadHandler(request)]
        return protected(request, *args, **kwargs)

    return wrapper


def attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": str(content_disposition_header(True, name))}
