"""What leaves a study as one file: a release to publish, an archive to move."""

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from accounts.models import logged_in
from evaluation.api.views import GAINS, AnyKind
from judging.api.verbs import Conflict
from judging.models import Role
from judging.studies.access import sees_platform_ids, study_for
from web.parameters import Parameters, Text, WithParameters
from web.problems import BadParameter
from workspace.archive import sealing
from workspace.archive.exporting import CannotArchive, export_archive
from workspace.publishing import releasing
from workspace.zipped import ZIP, sent_zip

BY_HEADER = "Archive-Passphrase"


class ReleaseParameters(Parameters):
    """What a release is to have beside the usual."""

    gains = Text(f"Names of gains with commas between them. {GAINS}")
    authors = Text("Who is to be cited, with commas between the names.")
    justifications = serializers.BooleanField(
        required=False, help_text="Whether what workers wrote is published too."
    )


class Release(WithParameters):
    """A folder to publish."""

    content_negotiation_class = AnyKind
    parameters = ReleaseParameters
    refuses = {"GET": {409: "There is nothing to publish yet; or no such gains."}}

    @extend_schema(responses={(200, ZIP): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Judgments, gains and rankings as a zip, in which nothing tells who judged."""
        study = study_for(request.user, slug, Role.EDITOR)
        names = {name: tuple(_words(self.asked.get(name, ""))) for name in ("gains", "authors")}
        asked = releasing.Asked(justifications=self.asked.get("justifications", False), **names)
        try:
            files = releasing.release(study, asked, by=logged_in(request))
        except releasing.CannotRelease as fault:
            raise Conflict(str(fault)) from fault
        return sent_zip(study.file_name("release", "zip"), releasing.as_zip(study, files))


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


class ArchiveFile(WithParameters):
    """An archive."""

    content_negotiation_class = AnyKind
    headers_taken = {
        BY_HEADER: "Platforms' ids and completion codes too, encrypted by this; for those who may "
        "see them."
    }
    refuses = {"GET": {409: "It is a rehearsal, which is not archived."}}

    @extend_schema(responses={(200, ZIP): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """All of the study as a zip that another installation imports; for owners."""
        study, by = study_for(request.user, slug, Role.OWNER), logged_in(request)
        passphrase = request.headers.get(BY_HEADER, "")
        if passphrase and not sees_platform_ids(by, study):
            raise PermissionDenied("You may not see platforms' ids of workers: ask an owner.")
        try:
            pieces = export_archive(study, by=by, passphrase=passphrase)
        except sealing.BadPassphrase as fault:
            raise BadParameter({BY_HEADER: [str(fault)]}) from fault
        except CannotArchive as fault:
            raise Conflict(str(fault)) from fault
        return sent_zip(study.file_name("archive", "zip"), pieces)
