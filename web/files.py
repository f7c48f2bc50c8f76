"""Forms that bring files: a view of such a form says so, and its address has room for them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponseBase
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
