from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.idempotency import idempotent
from accounts.models import User, logged_in
from judging.api.verbs import Conflict
from judging.api.views import PagedListView, filters_from
from judging.collections.opinion_files import WORKER, Reading
from web.rest.bodies import Body, checked
from web.rest.openapi import LOCATION
from web.rest.paging import OrderedPagination, Ordering, PageParameters
from web.rest.parameters import OneOf, Text, WithParameters
from workspace.imports import archives, datasets, importing, opinions
from workspace.imports.importing import BadImport
from workspace.models import ImportJob

SLUG = 50
READING = [each.name for each in fields(Reading)]
OF_UPLOAD = "The last part of the upload's address."


@contextmanager
def translate_import_errors(*, field: str = "") -> Iterator[None]:
    """Translate `BadImport` into the errors of REST.

    field: reported instead of the fields of the error, where a request does not have those.
    """
    try:
        yield
    except BadImport as fault:
        names = (field,) if field else fault.fields
        if not names:
            raise Conflict(str(fault)) from fault
        raise ValidationError({name: [str(fault)] for name in names}) from fault


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


class ImportAction(WithParameters):
    """Something to be imported in the background, asked for by a POST."""

    request_serializer: type[Body]
    response_serializer = JobSerializer
    status = 202

    @extend_schema(parameters=[LOCATION])
    @idempotent
    def post(self, request: Request) -> Response:
        data = checked(self.request_serializer, request)
        with translate_import_errors():
            job = self.request_import(logged_in(request), **data)
        job_data = JobSerializer(job, context={"request": request}).data
        return Response(job_data, self.status, headers={"Location": job_data["url"]})

    def request_import(self, by: User, **data: Any) -> ImportJob:
        raise NotImplementedError


class ChosenFile(Body):
    """An upload, and what it is to be read as."""

    upload = serializers.UUIDField(help_text=OF_UPLOAD)
    kind = serializers.ChoiceField([(kind, kind) for kind in importing.OF_COLLECTION])
    labels = serializers.CharField(
        default=importing.REFERENCE,
        max_length=importing.MAX_NAME_LENGTH,
        help_text="Of labels: the name of their set.",
    )


class NewImport(Body):
    """Files for a collection."""

    collection = serializers.SlugField(max_length=SLUG, help_text="Made if there is none.")
    files = ChosenFile(many=True)
    make_topics = serializers.BooleanField(
        default=False, help_text="Of the numbers in runs and labels, where topics are missing."
    )


class ImportsParameters(PageParameters):
    """Which imports, and in which order."""

    ordering = Ordering({"asked_at": "id"})
    state = OneOf(list(ImportJob.State), help_text="Those in one state.")
    what = OneOf(list(ImportJob.What), help_text="Those of one kind.")
    collection = Text("Those into one collection, by the slug that was asked for.")


class Imports(ImportAction, PagedListView):
    """Import uploaded files into a collection, in the background: look at its address."""

    parameters = ImportsParameters
    pagination_class = OrderedPagination
    serializer_class = JobSerializer
    request_serializer = NewImport

    def get_queryset(self) -> QuerySet[ImportJob]:
        filters = filters_from(self.params, state="state", what="what", collection="collection")
        return ImportJob.objects.filter(owner=logged_in(self.request), **filters)

    @extend_schema(responses=JobSerializer(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One's own imports, of whatever kind."""
        return super().get(request, *args, **kwargs)

    def request_import(self, by: User, **data: Any) -> ImportJob:
        files = [importing.Chosen(**file) for file in data.pop("files")]
        return importing.request_import(by, data.pop("collection"), files, **data)


class Import(WithParameters, generics.RetrieveAPIView[ImportJob]):
    """How far it is, and what came of it: `state` is done or failed in the end."""

    serializer_class = JobSerializer

    def get_object(self) -> ImportJob:
        return get_object_or_404(ImportJob, owner=logged_in(self.request), pk=self.kwargs["key"])


class DatasetSerializer(serializers.Serializer[Any]):
    """A data set of the ir_datasets library. null: the library does not say how many."""

    name = serializers.CharField()
    most = serializers.IntegerField(
        source="limit", help_text="Documents, and topics, that may be imported of it."
    )
    documents = serializers.IntegerField(allow_null=True)
    topics = serializers.IntegerField(allow_null=True)
    labels = serializers.IntegerField(allow_null=True)


class Datasets(WithParameters, generics.ListAPIView[Any]):
    """The data sets that the operator offers, with their sizes; perhaps none."""

    serializer_class = DatasetSerializer
    pagination_class = None

    def get_queryset(self) -> Any:
        return datasets.offered()


class NewDataset(Body):
    """A data set for a collection."""

    collection = serializers.SlugField(
        max_length=SLUG, help_text="Made if there is none; else what its runs name is taken too."
    )
    dataset = serializers.CharField(max_length=200, help_text="Its name, as `datasets/` has it.")


class ImportDataset(ImportAction):
    """Import topics, labels, and the documents that are named, of a data set on offer."""

    request_serializer = NewDataset

    def request_import(self, by: User, **data: Any) -> ImportJob:
        return datasets.request_import(by, data["collection"], data["dataset"])


class OpinionColumns(Body):
    """What a table calls each field; one that is left out is looked for by its usual names."""

    worker = serializers.CharField(required=False, help_text="Who gave it.")
    query_id = serializers.CharField(required=False, help_text="The topic.")
    doc_id = serializers.CharField(required=False, help_text="The document.")
    label = serializers.CharField(  # type: ignore[assignment]
        required=False, help_text="The level, or the score."
    )
    aspect = serializers.CharField(required=False, help_text="What of the document it is on.")
    occasion = serializers.CharField(required=False, help_text="Which of several times.")


class Texts(serializers.ListField):
    """Texts that need not be there."""

    def __init__(self, help_text: str) -> None:
        super().__init__(child=serializers.CharField(), required=False, help_text=help_text)


class ReadingOptions(Body):
    """How a table of opinions is read; magnitudes if no levels are named."""

    levels = Texts("Their names, the lowest first.")
    values = Texts("What the table has for the levels; 0, 1, 2 and so on if it is not said.")
    missing = Texts("What stands for no answer; if not said, of levels all that is none of them.")
    columns = OpinionColumns(required=False)
    gold = serializers.CharField(
        required=False, help_text="Of levels: a column with an expert's, one more worker."
    )
    group = serializers.CharField(
        required=False,
        help_text="Of magnitudes: the column whose text a worker's scores on one scale share, or "
        f"{WORKER}: all of a worker's scores on a topic are on one.",
    )
    zero = serializers.FloatField(required=False, help_text="Of magnitudes: what a 0 is read as.")


class NewOpinions(ReadingOptions):
    """A table of labels or magnitudes given elsewhere, and the study that it becomes."""

    upload = serializers.UUIDField(help_text=OF_UPLOAD)
    study = serializers.SlugField(max_length=SLUG, help_text="Made if there is none.")
    collection = serializers.SlugField(max_length=SLUG, help_text="Made if there is none.")
    title = serializers.CharField(required=False, max_length=200)
    main_aspect = serializers.CharField(
        required=False, max_length=40, help_text="That gains are of, where there are several."
    )
    replace = serializers.BooleanField(
        required=False, help_text="Put them in the place of those that the study has."
    )


class ImportOpinions(ImportAction):
    """Import labels or magnitudes that were given elsewhere, as a study of their own."""

    request_serializer = NewOpinions

    def request_import(self, by: User, **data: Any) -> ImportJob:
        upload: UUID = data.pop("upload")
        reading = {name: data.pop(name) for name in READING if name in data}
        return opinions.request_import(by, upload, opinions.Target(**data), Reading(**reading))


class NewArchive(Body):
    """An archive of a study, and other names than it had."""

    upload = serializers.UUIDField(help_text=OF_UPLOAD)
    study = serializers.SlugField(required=False, max_length=SLUG)
    collection = serializers.SlugField(required=False, max_length=SLUG)


class ImportArchive(ImportAction):
    """Import an archive: a study and a collection of its own, which both must be new here."""

    request_serializer = NewArchive

    def request_import(self, by: User, **data: Any) -> ImportJob:
        return archives.request_import(by, data.pop("upload"), **data)
