"""What a study's owner does about recruiting on Prolific, by REST.

The acts take no Idempotency-Key: each is done once by what it is, and what Prolific is asked for is
written down before it is asked, which a key's transaction would take back if no answer came.
"""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import logged_in
from judging.api.verbs import translate_errors
from judging.models import Role, Study
from judging.studies.access import study_for
from web.bodies import Body, checked
from web.parameters import WithParameters
from workspace.api import prolific_bodies as bodies
from workspace.recruiting.acts import ACTS, Act, ActionRequest, recruiting_of
from workspace.recruiting.connecting import connections_for
from workspace.recruiting.faults import CannotRecruit


class DoneSerializer(serializers.Serializer[Any]):
    """What was done, or would be."""

    done = serializers.BooleanField(help_text="false: nothing was; send `cost` or `sure` along.")
    says = serializers.ListField(child=serializers.CharField())
    cost = serializers.DecimalField(
        max_digits=12, decimal_places=2, allow_null=True, help_text="What it would cost."
    )
    bonus = serializers.IntegerField(allow_null=True, help_text="The bonuses that are set up.")


class ProlificAction(WithParameters):
    """Something that an owner does about recruiting on Prolific."""

    is_not_replayed = True
    status = 200
    response_serializer = DoneSerializer
    request_serializer: type[Body] = bodies.NothingOnProlific
    act: Act

    def post(self, request: Request, slug: str) -> Response:
        study = study_for(request.user, slug, Role.OWNER)
        values = checked(self.request_serializer, request)
        with translate_errors():
            action = self.parse(study, request, values)
            outcome = self.perform(action)
        return Response(DoneSerializer(outcome).data)

    def parse(self, study: Study, request: Request, values: dict[str, Any]) -> ActionRequest:
        """The request as the acts take it."""
        return ActionRequest(study, logged_in(request), values, request.build_absolute_uri)

    def perform(self, action: ActionRequest) -> dict[str, Any]:
        """Do it, or say what it would do."""
        act = type(self).act
        if act.confirmation is None or act.is_confirmed(action.values):
            return {"done": True, "says": [act.do(action)], "cost": None, "bonus": None}
        confirmation = act.confirmation(action)
        sentences = [confirmation.question.title, *confirmation.question.lines]
        values = {"cost": None, "bonus": None, **confirmation.values}
        return {"done": False, "says": sentences, **values}


class ConnectionSerializer(serializers.Serializer[Any]):
    """A connection with a workspace of Prolific's."""

    id = serializers.IntegerField()
    title = serializers.CharField()
    token_end = serializers.CharField(help_text="The last letters of its token.")


class Connect(ProlificAction):
    """Connect a study with a workspace of Prolific's, by a token or a connection that is there."""

    request_serializer = bodies.Token

    @extend_schema(responses=ConnectionSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The connections that you may use; for owners."""
        study_for(request.user, slug, Role.OWNER)
        rows = connections_for(logged_in(request))
        return Response(ConnectionSerializer(rows, many=True).data)

    def perform(self, action: ActionRequest) -> dict[str, Any]:
        act = ACTS["use" if "connection" in action.values else "connect"]
        action.values.setdefault("token", "")
        return {"done": True, "says": [act.do(action)], "cost": None, "bonus": None}


class SetLimit(ProlificAction):
    """Let recruiting cost at most so much."""

    request_serializer = bodies.Limit
    act = ACTS["limit"]


class Events(ProlificAction):
    """Have Prolific send events, by a new secret: another program's is void."""

    request_serializer = bodies.Sure
    act = ACTS["subscribe"]


class Create(ProlificAction):
    """Make the draft of a study on Prolific; it costs nothing until it is published."""

    request_serializer = bodies.StudyOnProlific
    act = ACTS["create"]


class Publish(ProlificAction):
    """Show the study to participants on Prolific: from now on it costs money."""

    request_serializer = bodies.Sum
    act = ACTS["publish"]


class MorePlaces(ProlificAction):
    """Have more places on Prolific; the number of all is said, so that twice changes nothing."""

    request_serializer = bodies.Places
    act = ACTS["places"]

    def parse(self, study: Study, request: Request, values: dict[str, Any]) -> ActionRequest:
        places, before = values.pop("places"), recruiting_of(study).places
        if (more := places - before) < 1:
            raise CannotRecruit(f"There are {before:,} places already.", field="places")
        return super().parse(study, request, {**values, "more": more})


class Pause(ProlificAction):
    """Let nobody new take part on Prolific."""

    act = ACTS["pause"]


class Resume(ProlificAction):
    """Let people take part on Prolific again."""

    act = ACTS["resume"]


class Stop(ProlificAction):
    """Let nobody new take part on Prolific, for good."""

    request_serializer = bodies.Sure
    act = ACTS["stop"]


class ApproveSubmissions(ProlificAction):
    """Have Prolific pay the submissions whose worker has completed a unit."""

    request_serializer = bodies.Sum
    act = ACTS["approve"]


class AskForReturn(ProlificAction):
    """Have Prolific ask a participant to return a submission."""

    request_serializer = bodies.Return
    act = ACTS["return"]


class Reject(ProlificAction):
    """Reject a submission on Prolific, and refuse the payment of its unit; never for checks."""

    request_serializer = bodies.Rejection
    act = ACTS["reject"]


class PayBonuses(ProlificAction):
    """Pay further units by bonuses: set up by a first request, paid by a second."""

    request_serializer = bodies.Bonuses
    act = ACTS["bonuses"]


class SettleBonuses(ProlificAction):
    """Say whether Prolific has paid bonuses of which it did not say so."""

    request_serializer = bodies.Settled
    act = ACTS["settle"]


ADDRESSES = {
    "connect/": Connect,
    "limit/": SetLimit,
    "events/": Events,
    "create/": Create,
    "publish/": Publish,
    "places/": MorePlaces,
    "pause/": Pause,
    "resume/": Resume,
    "stop/": Stop,
    "approve/": ApproveSubmissions,
    "return/": AskForReturn,
    "reject/": Reject,
    "bonuses/": PayBonuses,
    "settle-bonuses/": SettleBonuses,
}
