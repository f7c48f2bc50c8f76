"""Recruiting on Prolific by REST.

The acts take no Idempotency-Key: each is idempotent by what it is, and is stored before Prolific is
called, which a key's transaction would undo if no answer came.
"""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import logged_in
from judging.api.verbs import Verb, translate_errors
from judging.api.views import OfStudy, PagedListView
from judging.models import Role
from judging.studies.access import sees_platform_ids, study_for
from web import clock
from web.rest.bodies import checked
from web.rest.paging import PageParameters
from web.rest.parameters import Text
from workspace.models import ProlificStudy, ProlificSubmission
from workspace.recruiting.connecting import connections_for
from workspace.recruiting.summary import summary_of


class StatusSerializer(serializers.Serializer[Any]):
    """How many submissions there are of a kind."""

    words = serializers.CharField()
    number = serializers.IntegerField()


class StandingSerializer(serializers.Serializer[Any]):
    """How a study stands on Prolific, as was last read. Amounts have their currency."""

    workspace = serializers.CharField(source="connection.title")
    has_events = serializers.SerializerMethodField(help_text="Prolific tells what happens there.")
    prolific_id = serializers.CharField(help_text="Of the study there; empty: none is made.")
    status = serializers.CharField(help_text="As Prolific calls it: UNPUBLISHED, ACTIVE, PAUSED …")
    says = serializers.CharField(source="summary.status")
    address = serializers.CharField(source="summary.address", help_text="Of its page there.")
    places = serializers.IntegerField()
    taken = serializers.IntegerField(source="summary.taken")
    spent = serializers.CharField(source="summary.spent")
    limit = serializers.CharField(source="summary.limit")
    asked = serializers.CharField(help_text="What Prolific has not answered yet; empty: nothing.")
    fault = serializers.CharField(help_text="Why it could not be read last; empty: it could.")
    read_at = serializers.DateTimeField(allow_null=True)
    submissions = StatusSerializer(many=True)
    to_approve = serializers.IntegerField(help_text="Submissions with a completed unit.")
    bonuses = serializers.IntegerField(help_text="Further units to be paid as a bonus.")
    without_a_unit = serializers.IntegerField(help_text="Submissions sent without a unit.")
    to_reject = serializers.IntegerField(help_text="Refused here, and not rejected there.")
    questions = serializers.IntegerField(help_text="Payments of which Prolific tells otherwise.")
    doubtful_bonuses = serializers.ListField(
        child=serializers.IntegerField(), help_text="Of which nobody knows whether they were paid."
    )

    def get_has_events(self, row: dict[str, Any]) -> bool:
        return bool(row["connection"].subscription_id)


class Standings(OfStudy):
    """How it stands, and what is to be decided; 404 unless it is connected."""

    serializer_class = StandingSerializer

    def get_object(self) -> Any:
        rows = ProlificStudy.objects.select_related("study", "connection")
        recruiting = rows.filter(study=self.study()).first()
        if recruiting is None:
            raise Http404("The study is not connected with Prolific.")
        summary = summary_of(recruiting, clock.now())
        names = ("to_approve", "bonuses", "without_a_unit", "to_reject")
        fields = ("connection", "prolific_id", "status", "places", "asked", "fault", "read_at")
        return {
            **{name: getattr(recruiting, name) for name in fields},
            **{name: len(summary[name]) for name in names},
            "summary": summary,
            "submissions": [{"words": words, "number": n} for words, n in summary["statuses"]],
            "questions": summary["questions"],
            "doubtful_bonuses": [bonus.pk for bonus, _ in summary["doubtful"]],
        }


class SubmissionSerializer(serializers.ModelSerializer[ProlificSubmission]):
    """A submission. Ids are null for those who may not see platforms' ids."""

    submission_id = serializers.CharField(allow_null=True)
    participant_id = serializers.CharField(allow_null=True)

    class Meta:
        model = ProlificSubmission
        fields = (
            *("id", "status", "code", "started_at", "return_requested_at"),
            *("submission_id", "participant_id"),
        )

    def to_representation(self, submission: ProlificSubmission) -> dict[str, Any]:
        shown = super().to_representation(submission)
        hidden = () if self.context.get("sees_ids") else ("submission_id", "participant_id")
        return shown | dict.fromkeys(hidden)


class SubmissionsParameters(PageParameters):
    """Which submissions."""

    status = Text("Those with one status, as Prolific calls it: AWAITING REVIEW, for one.")


class Submissions(PagedListView):
    """The submissions on Prolific, as was last read."""

    parameters = SubmissionsParameters
    serializer_class = SubmissionSerializer

    def get_queryset(self) -> QuerySet[ProlificSubmission]:
        rows = ProlificSubmission.objects.filter(recruiting__study=self.study())
        return rows.filter(status=self.params["status"]) if "status" in self.params else rows

    def get_serializer_context(self) -> dict[str, Any]:
        is_described = getattr(self, "swagger_fake_view", False)
        sees_ids = not is_described and sees_platform_ids(logged_in(self.request), self.study())
        return {**super().get_serializer_context(), "sees_ids": sees_ids}


class ProlificVerb(Verb):
    """Something that an owner does about recruiting on Prolific."""

    is_not_replayed = True

    def post(self, request: Request, slug: str) -> Response:
        study = self.subject(slug)
        values, site = checked(self.request_serializer, request), request.build_absolute_uri
        with translate_errors():
            done = self.perform(study, logged_in(request), site=site, **values)
        return Response(self.answer(study, done))


class ConnectionSerializer(serializers.Serializer[Any]):
    """A connection with a workspace of Prolific's."""

    id = serializers.IntegerField()
    title = serializers.CharField()
    token_end = serializers.CharField(help_text="The last letters of its token.")


class Connect(ProlificVerb):
    """The connection of a study with a workspace of Prolific's."""

    @extend_schema(responses=ConnectionSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The connections that you may use; for owners."""
        study_for(request.user, slug, Role.OWNER)
        rows = connections_for(logged_in(request))
        return Response(ConnectionSerializer(rows, many=True).data)
