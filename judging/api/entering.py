from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import logged_in
from judging.acts.studies import PEOPLE, AtVersion, ListedSerializer
from judging.api.verbs import Verb, change_study, do_act
from judging.api.views import OfStudy, PagedListView
from judging.flow.earlier_studies import with_id_counts
from judging.flow.places import limit_usage
from judging.models import Participant
from judging.studies.access import sees_platform_ids, study_for
from judging.studies.configuration import participants
from judging.studies.configuration.earlier import exclude_participants_of, seen_excluded_studies
from web import clock
from web.rest.parameters import WithParameters


class EntrySerializer(serializers.Serializer[Any]):
    """How many people there are, beside the limits of the study."""

    people = serializers.IntegerField(help_text="With a unit in progress or a paid one.")
    within_an_hour = serializers.IntegerField(help_text="Of these, who began in the last hour.")
    within_a_day = serializers.IntegerField(help_text="Of these, who began in the last 24 hours.")
    participants = serializers.IntegerField(help_text="On the study's list.")
    participants_come = serializers.IntegerField(help_text="Of these, who have begun a unit.")


class Entry(OfStudy):
    """How many people have a place, how many are new, and how many of the list have come."""

    serializer_class = EntrySerializer

    def get_object(self) -> Any:
        listed = participants.counts(study := self.study())
        numbers = {"participants": listed.listed, "participants_come": listed.come}
        return {**limit_usage(study, clock.now())._asdict(), **numbers}


class ParticipantSerializer(serializers.ModelSerializer[Participant]):
    """Somebody on the list."""

    external_id = serializers.CharField()

    class Meta:
        model = Participant
        fields = ("external_id",)


class Participants(Verb, PagedListView):
    """The list of participants; its ids are for those who may see platforms' ids."""

    serializer_class = ParticipantSerializer

    def get_queryset(self) -> QuerySet[Participant]:
        study = self.study()
        if not sees_platform_ids(logged_in(self.request), study):
            raise PermissionDenied("You may not see platforms' ids of this study.")
        return study.participants.all()

    @extend_schema(responses={200: ListedSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Delete the whole list."""
        done = do_act(PEOPLE["clear-participants"], request, slug)
        return Response(ListedSerializer(done).data)


class EarlierSerializer(serializers.Serializer[Any]):
    """A study whose participants are not taken."""

    study = serializers.SlugField(source="study.slug")
    title = serializers.CharField(source="study.title")
    ids = serializers.IntegerField(help_text="Platforms' ids that it still holds.")
    held_until = serializers.DateTimeField(
        source="retention_ends_at",
        allow_null=True,
        help_text="When they are deleted; null: it is open, or says no days.",
    )


class NewEarlier(AtVersion):
    """Whose participants are not taken."""

    studies = serializers.ListField(
        child=serializers.CharField(), help_text="Names of other studies that you see."
    )


class Earlier(WithParameters):
    """Earlier studies whose participants do not come in."""

    @extend_schema(responses=EarlierSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Those that you may see, with the ids that they hold, and until when."""
        seen = seen_excluded_studies(study_for(request.user, slug), logged_in(request))
        return Response(EarlierSerializer(with_id_counts(seen), many=True).data)

    @extend_schema(request=NewEarlier, responses=EarlierSerializer(many=True))
    def put(self, request: Request, slug: str) -> Response:
        """Let nobody new in who took part in one of these; in the place of those before."""
        change_study(exclude_participants_of, NewEarlier, request, slug, "studies")
        return self.get(request, slug)
