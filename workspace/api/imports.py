"""Imports of uploaded files, in the background."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.models import logged_in
from accounts.once import once
from judging.api.verbs import Conflict
from judging.api.views import Paged
from web.bodies import Body, checked
from web.parameters import WithParameters
from workspace import importing
from workspace.models import ImportJob, Upload


class UploadSerializer(serializers.ModelSerializer[Upload]):
    """A file that has been sent, or is being sent."""

    class Meta:
        model = Upload
        fields = ("key", "name", "encoding", "size", "received", "kind", "begun_at", "ended_at")


class JobSerializer(serializers.ModelSerializer[ImportJob]):
    """An import, and what became of it."""

    url = serializers.SerializerMethodField()
    files = serializers.ListField(
        child=serializers.DictField(), help_text="Name, size, kind and digest of each."
    )
    result = serializers.DictField(allow_null=True, help_text="What was imported.")

    class Meta:
        model = ImportJob
        fields = (
            *("id", "url", "what", "collection", "files", "state", "progress", "reading"),
            *("result", "fault", "fault_file", "fault_line", "asked_at", "begun_at", "ended_at"),
        )

    def get_url(self, job: ImportJob) -> str:
        return str(reverse("api-import", [job.pk], request=self.context["request"]))


class ChosenFile(Body):
    """An upload, and what it is to be read as."""

    upload = serializers.UUIDField(help_text="The last part of the upload's address.")
    kind = serializers.ChoiceField([(kind, kind) for kind in importing.OF_COLLECTION])
    labels = serializers.CharField(
        default=importing.REFERENCE,
        max_length=importing.LONGEST_NAME,
        help_text="Of labels: the name of their set.",
    )


class NewImport(Body):
    """Files for a collection."""

    collection = serializers.SlugField(max_length=50, help_text="Made if there is none.")
    files = ChosenFile(many=True)
    make_topics = serializers.BooleanField(
        default=False, help_text="Of the numbers in runs and labels, where topics are missing."
    )


class Imports(Paged):
    """One's own imports."""

    serializer_class = JobSerializer

    def get_queryset(self) -> QuerySet[ImportJob]:
        return ImportJob.objects.filter(owner=logged_in(self.request))

    @extend_schema(request=NewImport, responses={202: JobSerializer})
    @once
    def post(self, request: Request) -> Response:
        """Import uploaded files into a collection, in the background: look at its address."""
        brought = checked(NewImport, request)
        files = [importing.Chosen(**file) for file in brought.pop("files")]
        try:
            job = importing.ask(logged_in(request), brought.pop("collection"), files, **brought)
        except importing.CannotAsk as fault:
            raise Conflict(str(fault)) from fault
        told = JobSerializer(job, context={"request": request}).data
        return Response(told, 202, headers={"Location": told["url"]})


class Import(WithParameters):
    """One import."""

    @extend_schema(responses=JobSerializer)
    def get(self, request: Request, key: int) -> Response:
        """How far it is, and what came of it: `state` is done or failed in the end."""
        job = get_object_or_404(ImportJob, owner=logged_in(request), pk=key)
        return Response(JobSerializer(job, context={"request": request}).data)
