from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied

from accounts.models import logged_in
from judging.api.views import ListOfStudy, OfStudy
from judging.models import Role
from judging.studies.access import sees_platform_ids
from judging.studies.personal_links import personal_links
from workspace.setup.setting_pages import entry_of


class LinksSerializer(serializers.Serializer[Any]):
    """How people get to a study."""

    platform = serializers.CharField(help_text="Where they come from; empty: none, or several.")
    entry = serializers.CharField(
        help_text="To be entered there, with what it fills in; without a platform to be handed out."
    )


class Links(OfStudy):
    """The link to be entered on the platform, with the places where it fills in ids."""

    serializer_class = LinksSerializer

    def get_object(self) -> Any:
        study = self.study()
        entry = study.from_platform.entry_address(entry_of(self.request, study))
        return {"platform": study.platform, "entry": entry}


class PersonalLinkSerializer(serializers.Serializer[Any]):
    """The link of one participant on the list."""

    participant = serializers.CharField()
    link = serializers.CharField()


class PersonalLinks(ListOfStudy):
    """Personal links, for editors who may see ids of participants."""

    serializer_class = PersonalLinkSerializer

    def get_queryset(self) -> Any:
        study = self.study(Role.EDITOR)
        if not sees_platform_ids(logged_in(self.request), study):
            raise PermissionDenied("You may not see ids of participants of this study.")
        links = personal_links(study, entry_of(self.request, study))
        return [{"participant": name, "link": link} for name, link in links]
