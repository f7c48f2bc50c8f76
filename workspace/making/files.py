"""Small files that come with a form: a study.toml, a table of questions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt, csrf_protect

View = Callable[..., HttpResponse]


def takes_a_file(view: View) -> View:
    """Let the form of a page bring a file, which no other form may; BODY_LIMITS bound its size.

    Handlers must be chosen before anything is read, and the check against forgery reads.
    """

    @wraps(view)
    def with_handler(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        request.upload_handlers = [MemoryFileUploadHandler(request)]
        return csrf_protect(view)(request, *arguments, **named)

    return csrf_exempt(with_handler)


@contextmanager
def on_disk(file: UploadedFile) -> Iterator[Path]:
    """A file that came with a form, in a folder that goes when the block ends."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / (Path(file.name or "").name or "file")
        path.write_bytes(file.read())
        yield path
