"""Uploads in pieces by tus 1.0: https://tus.io/protocols/resumable-upload

The core protocol with the extensions creation and termination; any client of tus works. GET answers
with JSON. Other users' uploads are 404.
"""

from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.idempotency import idempotent
from accounts.models import logged_in
from judging.api.verbs import Conflict
from judging.api.views import PagedListView
from magnitudes.files.errors import BadFile
from web.rest.paging import ByMomentPagination
from web.rest.parameters import WithParameters
from web.rest.problems import BadParameter
from workspace.imports import importing, opinions, uploads
from workspace.models import Upload

VERSION = "1.0.0"
PIECE = "application/offset+octet-stream"
OVERRIDABLE = ("PATCH", "DELETE")  # methods that a client may say in a header of a POST
ABOUT = {"Tus-Version": VERSION, "Tus-Extension": "creation,termination"}
STATUSES: dict[type[uploads.Refused], int] = {
    uploads.TooLarge: status.HTTP_413_REQUEST_ENTITY_TOO_LARGE,
    uploads.OutOfPlace: status.HTTP_409_CONFLICT,
    uploads.NoRoom: status.HTTP_507_INSUFFICIENT_STORAGE,
    uploads.Refused: status.HTTP_422_UNPROCESSABLE_ENTITY,
}
MAX_DIGITS = 18  # digits


# --- how OpenAPI describes it ---------------------------------------------------------------------
def _sent(name: str, text: str, kind: Any = str, *, required: bool = True) -> OpenApiParameter:
    return OpenApiParameter(name, kind, "header", required, description=text)


def _returned(name: str, text: str, statuses: list[int], kind: Any = int) -> OpenApiParameter:
    return OpenApiParameter(name, kind, "header", description=text, response=statuses)


NUMBER = {"type": "integer", "minimum": 0, "maximum": 10**MAX_DIGITS - 1}
TUS_RESUMABLE = OpenApiParameter(
    *("Tus-Resumable", str, "header", True),
    enum=[VERSION],
    description="The version of tus that the client speaks.",
)
CREATION_HEADERS = [
    TUS_RESUMABLE,
    _sent("Upload-Length", "Bytes of the whole file.", NUMBER),
    _sent(
        "Upload-Metadata",
        "`filename`, a blank and the file's name in base64; if it is not UTF-8, a comma, "
        "`encoding`, a blank and the name of its encoding in base64.",
        required=False,
    ),
    _returned("Location", "The address of the upload.", [201], str),
]
OF_PIECE = [TUS_RESUMABLE, _sent("Upload-Offset", "How many bytes come before this piece.", NUMBER)]
OF_PROGRESS = [
    _returned("Upload-Offset", "How many bytes are here.", [200, 204]),
    _returned("Upload-Length", "Bytes of the whole file.", [200, 204]),
]


OTHER_VERSION = f"Another version of tus than {VERSION}."
CHANGES = {
    409: "Another piece is due; or the same request is at work.",
    412: OTHER_VERSION,
    413: "The file is larger than it may be, or there is more of it than was said.",
    415: f"A piece is {PIECE}.",
    507: "The disk is full.",
}


class WrongVersion(APIException):
    """A client speaks another version of the protocol."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_detail = f"Tus-Resumable: expected {VERSION}."


class NotTaken(APIException):
    default_detail = "The file is not taken."

    def __init__(self, fault: uploads.Refused) -> None:
        super().__init__(str(fault))
        self.status_code = STATUSES[type(fault)]


class UploadSerializer(serializers.ModelSerializer[Upload]):
    """A file that has been sent, or is being sent."""

    class Meta:
        model = Upload
        fields = ("key", "name", "encoding", "size", "received", "kind", "begun_at", "ended_at")


class Tus(WithParameters):
    """What all requests of tus share. methods: those of tus, which say its version.

    OpenAPI leaves out OPTIONS, which tells what the server can do and which it describes nowhere,
    and the header that says PATCH or DELETE in a POST, for clients that can send neither.
    """

    parser_classes = []  # a piece is read as it is
    methods: tuple[str, ...]
    error_responses = {
        "HEAD": {412: OTHER_VERSION},
        "POST": CHANGES | {422: "What is said of the file cannot be; or as in other POSTs."},
        "PATCH": CHANGES | {422: "The file is of no known kind or encoding, and is forgotten."},
        "DELETE": CHANGES | {422: "The file is being imported."},
    }

    def initialize_request(self, request: Any, *args: Any, **kwargs: Any) -> Request:
        """A client that can send no PATCH or DELETE names it in a header."""
        method = request.headers.get("X-HTTP-Method-Override", "").upper()
        if request.method == "POST" and method in OVERRIDABLE:
            request.method = method
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in self.methods and request.headers.get("Tus-Resumable") != VERSION:
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
        limits = {"Tus-Max-Size": str(settings.MAX_UPLOAD_BYTES)}
        return Response(status=status.HTTP_204_NO_CONTENT, headers=ABOUT | limits)


class Uploads(Tus, PagedListView):
    """Files on their way, and where they begin."""

    methods = ("POST",)
    serializer_class = UploadSerializer
    pagination_class = ByMomentPagination
    identifying_headers = ("Upload-Length", "Upload-Metadata")

    def get_queryset(self) -> QuerySet[Upload]:
        return Upload.objects.filter(owner=logged_in(self.request), job=None)

    @extend_schema(responses=UploadSerializer(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One's own files that are here, or on their way, and in no import."""
        return super().get(request, *args, **kwargs)

    @extend_schema(parameters=CREATION_HEADERS, request=None, responses={201: UploadSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Begin an upload, as tus's extension creation has it; its bytes come by PATCH."""
        metadata = _metadata(request)
        name = metadata.get("filename", metadata.get("name", ""))
        size, encoding = _number(request, "Upload-Length"), metadata.get("encoding", "")
        with _translated():
            upload = uploads.begin(logged_in(request), name, size, encoding)
        address = reverse("api-upload", [upload.key], request=request)
        headers = {"Location": address, "Upload-Offset": "0"}
        return Response(UploadSerializer(upload).data, status.HTTP_201_CREATED, headers=headers)


class OneUpload(Tus):
    """An upload under way."""

    methods = ("HEAD", *OVERRIDABLE)

    @extend_schema(parameters=OF_PROGRESS, responses=UploadSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """How much of a file is here, and, from its first bytes on, what it looks like."""
        upload = _upload(request, key)
        return Response(UploadSerializer(upload).data, headers=_progress(upload))

    @extend_schema(
        operation_id="uploads_head",
        parameters=[TUS_RESUMABLE, *OF_PROGRESS],
        request=None,
        responses={200: None},
    )
    def head(self, request: Request, key: UUID) -> Response:
        """How much of a file is here: the headers Upload-Offset and Upload-Length."""
        return Response(headers=_progress(_upload(request, key)))

    @extend_schema(
        parameters=[*OF_PIECE, *OF_PROGRESS],
        request={PIECE: OpenApiTypes.BINARY},
        responses={204: None},
    )
    def patch(self, request: Request, key: UUID) -> Response:
        """Send the next piece, of at most 1 MiB. With the answer it is on disk."""
        if request.content_type != PIECE:
            raise UnsupportedMediaType(request.content_type, f"The content type is to be {PIECE}.")
        offset = _number(request, "Upload-Offset")
        piece = request._request.read()
        with _translated():
            upload = uploads.append(logged_in(request), key, offset, piece)
        return Response(status=status.HTTP_204_NO_CONTENT, headers=_progress(upload))

    @extend_schema(parameters=[TUS_RESUMABLE], request=None, responses={204: None})
    def delete(self, request: Request, key: UUID) -> Response:
        """Remove a file, whole or not, as tus's extension termination has it."""
        with _translated():
            uploads.remove(logged_in(request), key)
        return Response(status=status.HTTP_204_NO_CONTENT)


class TableSerializer(serializers.Serializer[Any]):
    """The beginning of a table of opinions."""

    columns = serializers.ListField(child=serializers.CharField())
    guessed = serializers.DictField(
        child=serializers.CharField(), help_text="By field, the column that is taken for it."
    )
    rows = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))


class UploadedTable(WithParameters):
    """What stands in a table that was uploaded."""

    error_responses = {"GET": {409: "It is no table, not whole yet, or being imported."}}

    @extend_schema(responses=TableSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """The columns of a table, which is taken for which field of an opinion, its first rows."""
        _upload(request, key)
        try:
            preview = opinions.preview(importing.complete_upload(logged_in(request), key))
        except importing.BadImport as fault:
            raise Conflict(str(fault)) from fault
        except BadFile as fault:
            raise Conflict(f"{fault}.") from fault
        return Response(TableSerializer(preview).data)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except uploads.Refused as fault:
        raise NotTaken(fault) from fault
    except Upload.DoesNotExist as fault:
        raise Http404("There is no such upload.") from fault


def _upload(request: Request, key: UUID) -> Upload:
    with _translated():
        return uploads.upload_of(logged_in(request), key)


def _progress(upload: Upload) -> dict[str, str]:
    return {"Upload-Offset": str(upload.received), "Upload-Length": str(upload.size)}


def _number(request: Request, header: str) -> int:
    text = request.headers.get(header, "")
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise BadParameter({header: ["expected a whole number, 0 or more"]})
    return int(text)


def _metadata(request: Request) -> dict[str, str]:
    """The keys of Upload-Metadata, each with a text in base64."""
    metadata = {}
    try:
        for pair in filter(None, request.headers.get("Upload-Metadata", "").split(",")):
            name, _, value = pair.strip().partition(" ")
            metadata[name] = b64decode(value, validate=True).decode()
    except ValueError as fault:
        expected = "expected keys, each with a value in base64, and commas between them"
        raise BadParameter({"Upload-Metadata": [expected]}) from fault
    return metadata
