"""A release and an archive of a study, both by POST, as the study's trail says who took them."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import logged_in
from evaluation.api.views import GAINS, AnyKind
from judging.api.verbs import Conflict, Verb
from judging.api.views import PagedListView
from judging.models import Role
from judging.studies.access import sees_platform_ids, study_for
from web.files import ZIP, sent_zip
from web.rest.bodies import Body, checked
from web.rest.parameters import WithParameters
from workspace.acts import MAX_AUTHOR_LENGTH, MAX_AUTHORS, PublishedPageSerializer
from workspace.archive import encryption
from workspace.archive.exporting import CannotArchive, export_archive
from workspace.models import PublishedPage
from workspace.publishing import releasing
from workspace.publishing.describing import LICENCES


class NewRelease(Body):
    """What a release is to have beside the usual."""

    gains = serializers.ListField(
        child=serializers.CharField(), default=list, help_text=f"Names of gains. {GAINS}"
    )
    authors = serializers.ListField(
        child=serializers.CharField(max_length=MAX_AUTHOR_LENGTH),
        max_length=MAX_AUTHORS,
        default=list,
        help_text="Who is to be cited.",
    )
    licence = serializers.ChoiceField(
        choices=list(LICENCES), default="", help_text="Of judgments, gains and rankings."
    )
    justifications = serializers.BooleanField(
        default=False, help_text="Whether what workers wrote is published too."
    )


class Release(WithParameters):
    """A folder to publish."""

    content_negotiation_class = AnyKind
    is_not_replayed = True

    @extend_schema(request=NewRelease, responses={(200, ZIP): OpenApiTypes.BINARY})
    def post(self, request: Request, slug: str) -> HttpResponseBase:
        """Judgments, gains and rankings as a zip, in which nothing tells who judged."""
        study = study_for(request.user, slug, Role.EDITOR)
        data = checked(NewRelease, request)
        options = releasing.ReleaseOptions(
            *(tuple(data["gains"]), data["justifications"], tuple(data["authors"])),
            licence=data["licence"],
        )
        try:
            files = releasing.release(study, options, by=logged_in(request))
        except releasing.CannotRelease as fault:
            raise Conflict(str(fault)) from fault
        return sent_zip(study.file_name("release", "zip"), releasing.as_zip(study, files))


class Published(Verb, PagedListView):
    """The published versions of a study."""

    serializer_class = PublishedPageSerializer

    def get_queryset(self) -> QuerySet[PublishedPage]:
        return self.study().published_pages.defer("release").order_by("version")

    @extend_schema(responses=PublishedPageSerializer(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The versions of a study that were published for everybody, withdrawn ones too."""
        return super().get(request, *args, **kwargs)


class TakenArchive(Body):
    """What an archive is to have beside the usual."""

    passphrase = serializers.CharField(
        default="",
        allow_blank=True,
        trim_whitespace=False,
        help_text="Platforms' ids and completion codes too, encrypted by this; for those who may "
        "see them.",
    )


class ArchiveFile(WithParameters):
    """An archive."""

    content_negotiation_class = AnyKind
    is_not_replayed = True

    @extend_schema(request=TakenArchive, responses={(200, ZIP): OpenApiTypes.BINARY})
    def post(self, request: Request, slug: str) -> HttpResponseBase:
        """All of the study as a zip that another installation imports; for owners."""
        study, by = study_for(request.user, slug, Role.OWNER), logged_in(request)
        passphrase = checked(TakenArchive, request)["passphrase"]
        if passphrase and not sees_platform_ids(by, study):
            raise PermissionDenied("You may not see platforms' ids of workers: ask an owner.")
        try:
            pieces = export_archive(study, by=by, passphrase=passphrase)
        except encryption.BadPassphrase as fault:
            raise ValidationError({"passphrase": [str(fault)]}) from fault
        except CannotArchive as fault:
            raise Conflict(str(fault)) from fault
        return sent_zip(study.file_name("archive", "zip"), pieces)
