"""The report of a study: asked for, followed while it is written, taken away as a zip."""

from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from evaluation.api.views import AnyKind, label_set_given
from evaluation.models import WrittenReport
from evaluation.report import jobs
from evaluation.report.jobs import CachedResult
from evaluation.waiting import REPORT_RETENTION
from judging.api.verbs import Verb
from judging.models import Role, Study
from judging.studies.access import study_for
from web.files import ZIP, attachment
from web.rest.bodies import Body
from web.rest.parameters import WithParameters


class NewReport(Body):
    """What a report compares with."""

    labels = serializers.CharField(
        default="", help_text="The name of the labels; those that pages compare with, if left out."
    )


@extend_schema_serializer(component_name="Report")
class ReportSerializer(serializers.Serializer[CachedResult]):
    """How far the report is that was asked for last."""

    state = serializers.ChoiceField(
        WrittenReport.State.choices,
        source="row.state",
        help_text="failed: it could not be written, and `fault` says why.",
    )
    progress = serializers.FloatField(source="row.progress", help_text="Share done, from 0 to 1.")
    fault = serializers.CharField(source="row.fault")
    labels = serializers.CharField(source="row.label_set")
    asked_at = serializers.DateTimeField(source="row.asked_at")
    made_at = serializers.DateTimeField(
        source="row.made_at", allow_null=True, help_text="Of what report.zip is; null: of none yet."
    )
    size = serializers.IntegerField(
        source="row.size",
        help_text="Bytes of report.zip, 0 if there is none. Until the new one is done, it is the "
        f"one before. It is deleted after {REPORT_RETENTION.days} days.",
    )
    files = serializers.IntegerField(source="row.files", help_text="In report.zip.")
    missing = serializers.ListField(
        source="row.missing", child=serializers.CharField(), help_text="Analyses that failed."
    )
    current = serializers.BooleanField(
        source="is_current", help_text="report.zip is of the data as they are now."
    )


class Report(Verb):
    """Have the report written anew, in the background."""

    role = Role.VIEWER
    request_serializer = NewReport
    response_serializer = ReportSerializer
    status = 202

    @extend_schema(responses=ReportSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """How far the report is that was asked for last."""
        cached = jobs.report_of(study_for(request.user, slug))
        if cached is None:
            raise Http404("Nobody has asked for a report: POST to this address.")
        return Response(ReportSerializer(cached).data)

    def perform(self, study: Study, by: User, **asked: Any) -> CachedResult:
        label_set = label_set_given(study, asked["labels"], ValidationError)
        return jobs.look_at(jobs.ask_report(study, by, label_set))


class ReportFile(WithParameters):
    """The report."""

    content_negotiation_class = AnyKind

    @extend_schema(responses={(200, ZIP): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str) -> HttpResponse:
        """The report as a zip: a page, a document for LaTeX, and all their tables and figures."""
        study = study_for(request.user, slug)
        archive = jobs.archive_of(study)
        if archive is None:
            raise Http404("No report of this study is kept: POST to report/ for one.")
        return HttpResponse(
            archive, content_type=ZIP, headers=attachment(study.file_name("report", "zip"))
        )
