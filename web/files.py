"""Files in forms, and files and zips as downloads."""

import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, NamedTuple

from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect

ZIP = "application/zip"
PIECE = 1 << 16  # bytes that are buffered, so that not every line is sent by itself
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


class File(NamedTuple):
    """Its content is generated while it is read."""

    path: str
    pieces: Iterable[bytes]


class _Outgoing(bytearray):
    """What zipfile has written, without seeking; `take` empties it."""

    def write(self, data: bytes) -> int:
        self += data
        return len(data)

    def flush(self) -> None:
        """Nothing waits here."""

    def take(self) -> bytes:
        pieces = bytes(self)
        self.clear()
        return pieces


def zipped(files: Iterable[File]) -> Iterator[bytes]:
    """In pieces. Files have no time: all are of 1980, the first year of zip."""
    out: Any = _Outgoing()  # zipfile never closes it
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, pieces in files:
            info = zipfile.ZipInfo(path)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as target:
                for piece in pieces:
                    target.write(piece)
                    if len(out) >= PIECE:
                        yield out.take()
    yield out.take()


def sent_zip(name: str, pieces: Iterable[bytes]) -> StreamingHttpResponse:
    return StreamingHttpResponse(pieces, content_type=ZIP, headers=attachment(name))
