"""The tables of a study as whole files, the same as the pages give."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from evaluation.api.views import (
    AnyKind,
    Conditional,
    GainsParameters,
    RankingsParameters,
    conditional,
    etag,
    file_answer,
)
from evaluation.publishing import exports
from judging.studies.access import study_for
from web.files import attachment
from web.rest.openapi import GAINS_HEADERS
from web.rest.parameters import WithParameters
from web.rest.problems import BadParameter


class FileSerializer(serializers.Serializer[Any]):
    """A file that there is."""

    table = serializers.CharField()
    file_format = serializers.CharField()
    url = serializers.URLField()


class FileParameters(GainsParameters, RankingsParameters):
    """How a file is computed: each is for some tables."""


class Files(WithParameters):
    """The files of a study."""

    @extend_schema(responses=FileSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Every table in every format that it is written in."""
        study = study_for(request.user, slug)
        return Response(
            [
                {
                    "table": table,
                    "file_format": written,
                    "url": reverse("api-file", [slug, table, written], request=request),
                }
                for table, export in exports.exports_of(study).items()
                for written in export.formats
            ]
        )


class File(Conditional):
    """A table as a file."""

    content_negotiation_class = AnyKind
    parameters = FileParameters

    @extend_schema(
        operation_id="studies_files_retrieve_one",
        responses={
            (200, "text/plain"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            304: None,
        },
        parameters=GAINS_HEADERS,
    )
    @conditional(etag)
    def get(self, request: Request, slug: str, table: str, file_format: str) -> HttpResponseBase:
        """All its rows, streamed; numbers with full double precision."""
        for name in self.params.keys() & exports.OPTIONS.keys():
            if table not in exports.OPTIONS[name]:
                raise BadParameter({name: [f"is for {' and '.join(exports.OPTIONS[name])} alone"]})
        response = file_answer(self.study, table, file_format, **self.params)
        name = self.study.file_name(table, exports.ending(file_format))
        for header, value in attachment(name).items():
            response[header] = value
        return response


file = File.as_view()
