"""Uploads in pieces, as tus 1.0 has them: https://tus.io/protocols/resumable-upload

The core protocol with the extensions creation and termination; any client of tus works. What is
somebody else's is not there.
"""

from base64 import b64decode
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.http import Http404
from rest_framework import status
from rest_framework.exceptions import APIException, UnsupportedMediaType, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from accounts.models import logged_in
from workspace import uploads
from workspace.models import Upload

T = TypeVar("T")
VERSION = "1.0.0"
PIECE = "application/offset+octet-stream"
REPLACED = ("PATCH", "DELETE")  # methods that a client may say in a header of a POST
ABOUT = {"Tus-Version": VERSION, "Tus-Extension": "creation,termination"}
STATUSES: dict[type[uploads.Refused], int] = {
    uploads.TooLarge: status.HTTP_413_REQUEST_ENTITY_TOO_LARGE,
    uploads.OutOfPlace: status.HTTP_409_CONFLICT,
    uploads.NoRoom: status.HTTP_507_INSUFFICIENT_STORAGE,
    uploads.Refused: status.HTTP_422_UNPROCESSABLE_ENTITY,
}


class WrongVersion(APIException):
    """A client speaks another version of the protocol."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_detail = f"Tus-Resumable: expected {VERSION}."


class NotTaken(APIException):
    """A file or a piece is refused."""

    default_detail = "The file is not taken."

    def __init__(self, fault: uploads.Refused) -> None:
        super().__init__(str(fault))
        self.status_code = STATUSES[type(fault)]


class Tus(APIView):
    """What all requests of tus share. OpenAPI leaves them out: the protocol describes them."""

    schema = None
    parser_classes = []  # a piece is read as it is

    def initialize_request(self, request: Any, *args: Any, **kwargs: Any) -> Request:
        """A client that can send no PATCH or DELETE says it in a header."""
        method = request.headers.get("X-HTTP-Method-Override", "").upper()
        if request.method == "POST" and method in REPLACED:
            request.method = method
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method != "OPTIONS" and request.headers.get("Tus-Resumable") != VERSION:
            raise WrongVersion

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        final = super().finalize_response(request, response, *args, **kwargs)
        final["Tus-Resumable"] = VERSION
        final["Cache-Control"] = "no-store"
        if final.status_code == WrongVersion.status_code:
            final["Tus-Version"] = VERSION
        return final

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """What this server can do."""
        most = {"Tus-Max-Size": str(settings.MOST_UPLOAD_BYTES)}
        return Response(status=status.HTTP_204_NO_CONTENT, headers=ABOUT | most)


class Uploads(Tus):
    """Where uploads begin."""

    def post(self, request: Request) -> Response:
        """Begin an upload. Its address is in the header Location."""
        about = _metadata(request)
        upload = _or_refused(
            lambda: uploads.begin(
                logged_in(request),
                about.get("filename", about.get("name", "")),
                _number(request, "Upload-Length"),
                about.get("encoding", ""),
            )
        )
        address = reverse("api-upload", [upload.key], request=request)
        headers = {"Location": address, "Upload-Offset": "0"}
        return Response(status=status.HTTP_201_CREATED, headers=headers)


class OneUpload(Tus):
    """An upload under way."""

    def head(self, request: Request, key: UUID) -> Response:
        """How much of it is here: the headers Upload-Offset and Upload-Length."""
        return Response(headers=_place(_there(lambda: uploads.upload_of(logged_in(request), key))))

    def patch(self, request: Request, key: UUID) -> Response:
        """Send the next piece. With the answer it is on disk."""
        if request.content_type != PIECE:
            raise UnsupportedMediaType(request.content_type, f"The content type is to be {PIECE}.")
        offset = _number(request, "Upload-Offset")
        piece = request._request.read()
        upload = _there(lambda: uploads.append(logged_in(request), key, offset, piece))
        return Response(status=status.HTTP_204_NO_CONTENT, headers=_place(upload))

    def delete(self, request: Request, key: UUID) -> Response:
        """Remove the file, whole or not."""
        _there(lambda: uploads.remove(logged_in(request), key))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _or_refused(call: Callable[[], T]) -> T:
    try:
        return call()
    except uploads.Refused as fault:
        raise NotTaken(fault) from fault


def _there(call: Callable[[], T]) -> T:
    try:
        return _or_refused(call)
    except Upload.DoesNotExist as fault:
        raise Http404("There is no such upload.") from fault


def _place(upload: Upload) -> dict[str, str]:
    return {"Upload-Offset": str(upload.received), "Upload-Length": str(upload.size)}


def _number(request: Request, header: str) -> int:
    text = request.headers.get(header, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise ValidationError({header: ["expected a whole number, 0 or more"]})
    return int(text)


def _metadata(request: Request) -> dict[str, str]:
    """What Upload-Metadata says: keys, each with a text in base64."""
    about = {}
    try:
        for pair in filter(None, request.headers.get("Upload-Metadata", "").split(",")):
            name, _, value = pair.strip().partition(" ")
            about[name] = b64decode(value, validate=True).decode()
    except ValueError as fault:
        expected = "expected keys, each with a value in base64, and commas between them"
        raise ValidationError({"Upload-Metadata": [expected]}) from fault
    return about
