"""How people get to a study: the link to be entered on a platform, and personal links."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import logged_in
from judging.models import Role
from judging.studies.access import sees_platform_ids, study_for
from judging.studies.personal_links import personal_links
from web.parameters import WithParameters
from workspace.making.recruiting import entry_of


class LinksSerializer(serializers.Serializer[Any]):
    """How people get to a study."""

    platform = serializers.CharField(help_text="Where they come from; empty: none, or several.")
    entry = serializers.CharField(
        help_text="To be entered there, with what it fills in; without a platform to be handed out."
    )


class Links(WithParameters):
    """How people get to a study."""

    @extend_schema(responses=LinksSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The link to be entered on the platform, with the places where it fills in ids."""
        study = study_for(request.user, slug)
        entry = study.from_platform.entry_address(entry_of(request, study))
        return Response(LinksSerializer({"platform": study.platform, "entry": entry}).data)


class PersonalLinkSerializer(serializers.Serializer[Any]):
    """The link of one participant on the list."""

    participant = serializers.CharField()
    link = serializers.CharField()


class PersonalLinks(WithParameters):
    """A link for each participant on the list."""

    @extend_schema(responses=PersonalLinkSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Personal links, for editors who may see ids of participants."""
        study = study_for(request.user, slug, Role.EDITOR)
        if not sees_platform_ids(logged_in(request), study):
            raise PermissionDenied("You may not see ids of participants of this study.")
        links = personal_links(study, entry_of(request, study))
        rows = [{"participant": name, "link": link} for name, link in links]
        return Response(PersonalLinkSerializer(rows, many=True).data)
